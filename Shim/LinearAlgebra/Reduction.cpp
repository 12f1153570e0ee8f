// Null-space projection, QR compression and small solves.
#include <eigen3/Eigen/Cholesky>
#include <eigen3/Eigen/QR>

#include "Border.hpp"

using namespace fuse;

int fuse_la_project(double *F, int32_t rows, int32_t f, double *H, int32_t m, double *r) {
  return guarded([&]() -> int {
    if (f <= 0 || rows <= f || m <= 0) return FUSE_LA_BAD_ARGUMENT;
    Packed feature(F, rows, f), jacobian(H, rows, m);
    Column residual(r, rows);
    if (!feature.allFinite() || !jacobian.allFinite() || !residual.allFinite()) return FUSE_LA_NOT_FINITE;
    Vector v(rows);
    for (int32_t k = 0; k < f; ++k) {
      const int32_t tail = rows - k;
      v.head(tail) = feature.col(k).tail(tail);
      const double norm = v.head(tail).norm();
      if (norm == 0) continue;  // nothing to annihilate: this direction does not reach the measurement
      v(0) += v(0) < 0 ? -norm : norm;
      const double scale = 2 / v.head(tail).squaredNorm();
      const auto reflect = [&](auto block) {
        const Eigen::RowVectorXd w = scale * (v.head(tail).transpose() * block);
        block.noalias() -= v.head(tail) * w;
      };
      reflect(feature.block(k, k, tail, f - k));
      reflect(jacobian.bottomRows(tail));
      const double w = scale * v.head(tail).dot(residual.tail(tail));
      residual.tail(tail) -= w * v.head(tail);
    }
    return FUSE_LA_OK;
  });
}

int fuse_la_compress(double *H, int32_t rows, int32_t m, double *r) {
  return guarded([&]() -> int {
    if (rows <= 0 || m <= 0) return FUSE_LA_BAD_ARGUMENT;
    if (rows <= m) return FUSE_LA_OK;
    Packed jacobian(H, rows, m);
    Column residual(r, rows);
    if (!jacobian.allFinite() || !residual.allFinite()) return FUSE_LA_NOT_FINITE;
    Eigen::HouseholderQR<Eigen::MatrixXd> qr(jacobian);
    Vector rotated = residual;
    rotated.applyOnTheLeft(qr.householderQ().adjoint());
    jacobian.topRows(m) = qr.matrixQR().topRows(m).triangularView<Eigen::Upper>();
    residual = rotated;
    return FUSE_LA_OK;
  });
}

int fuse_la_solve(const double *A, int32_t n, double *B, int32_t m) {
  return guarded([&]() -> int {
    if (n <= 0 || m <= 0) return FUSE_LA_BAD_ARGUMENT;
    ConstPacked matrix(A, n, n);
    Packed sides(B, n, m);
    if (!matrix.allFinite() || !sides.allFinite()) return FUSE_LA_NOT_FINITE;
    const Eigen::LLT<Eigen::MatrixXd, Eigen::Upper> factor(matrix);
    if (factor.info() != Eigen::Success) return FUSE_LA_NOT_POSITIVE;
    const Matrix solution = factor.solve(sides);
    if (!solution.allFinite()) return FUSE_LA_NOT_FINITE;
    sides = solution;
    return FUSE_LA_OK;
  });
}
