// Propagation, change and augmentation of the covariance.
#include "Border.hpp"

using namespace fuse;

int fuse_la_propagate(double *P, int32_t n, int32_t ld, int32_t offset, int32_t size, const double *F,
                      const double *Q) {
  return guarded([&]() -> int {
    if (n <= 0 || ld < n || offset < 0 || size <= 0 || offset + size > n) return FUSE_LA_BAD_ARGUMENT;
    Strided full(P, n, n, Eigen::OuterStride<>(ld));
    ConstPacked transition(F, size, size), noise(Q, size, size);
    if (!transition.allFinite() || !noise.allFinite()) return FUSE_LA_NOT_FINITE;

    Matrix rows = transition * full.middleRows(offset, size);
    Matrix own = rows.middleCols(offset, size) * transition.transpose() + noise;
    if (!rows.allFinite() || !own.allFinite()) return FUSE_LA_NOT_FINITE;
    full.middleRows(offset, size) = rows;
    full.middleCols(offset, size) = rows.transpose();
    full.block(offset, offset, size, size) = 0.5 * (own + own.transpose());
    return FUSE_LA_OK;
  });
}

int fuse_la_transform(double *P, int32_t n, int32_t ld, int32_t offset, int32_t size, const int32_t *columns, int32_t m,
                      const double *J) {
  return guarded([&]() -> int {
    if (n <= 0 || ld < n || offset < 0 || size <= 0 || offset + size > n || m <= 0 || !inside(columns, m, n))
      return FUSE_LA_BAD_ARGUMENT;
    Strided full(P, n, n, Eigen::OuterStride<>(ld));
    ConstPacked jacobian(J, size, m);
    Matrix rows = jacobian * gatherRows(ConstStrided(P, n, n, Eigen::OuterStride<>(ld)), columns, m);
    Matrix own = gatherColumns(rows, columns, m) * jacobian.transpose();
    if (!rows.allFinite() || !own.allFinite()) return FUSE_LA_NOT_FINITE;
    full.middleRows(offset, size) = rows;
    full.middleCols(offset, size) = rows.transpose();
    full.block(offset, offset, size, size) = 0.5 * (own + own.transpose());
    return FUSE_LA_OK;
  });
}

int fuse_la_augment(double *P, int32_t n, int32_t ld, int32_t size, const int32_t *columns, int32_t m, const double *J,
                    const double *W) {
  return guarded([&]() -> int {
    if (n <= 0 || size <= 0 || m < 0 || ld < n + size || !inside(columns, m, n)) return FUSE_LA_BAD_ARGUMENT;
    ConstStrided old(P, n, n, Eigen::OuterStride<>(ld));
    Matrix own = Matrix::Zero(size, size);
    Matrix cross = Matrix::Zero(size, n);
    if (m > 0) {
      ConstPacked jacobian(J, size, m);
      cross.noalias() = jacobian * gatherRows(old, columns, m);
      own.noalias() = gatherColumns(cross, columns, m) * jacobian.transpose();
    }
    if (W) own += ConstPacked(W, size, size);
    if (!cross.allFinite() || !own.allFinite()) return FUSE_LA_NOT_FINITE;

    Strided grown(P, n + size, n + size, Eigen::OuterStride<>(ld));
    grown.bottomLeftCorner(size, n) = cross;
    grown.topRightCorner(n, size) = cross.transpose();
    grown.bottomRightCorner(size, size) = 0.5 * (own + own.transpose());
    return FUSE_LA_OK;
  });
}
