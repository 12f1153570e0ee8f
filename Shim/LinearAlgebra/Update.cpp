// The Kalman update over the involved columns, and its gate.
#include <eigen3/Eigen/Cholesky>

#include "Border.hpp"

using namespace fuse;

namespace {

/// What an innovation is made of: HP (rows x n) and the Cholesky factor of S.
struct Innovation {
  Matrix HP;
  Eigen::LLT<Eigen::MatrixXd> factor;
  Vector whitened;  // L^-1 r
};

int innovate(const ConstStrided &P, const int32_t *columns, int32_t m, const double *H, int32_t rows, const double *r,
             const double *R, bool allColumns, Innovation &out) {
  const int32_t n = static_cast<int32_t>(P.rows());
  if (n <= 0 || rows <= 0 || m <= 0 || !inside(columns, m, n)) return FUSE_LA_BAD_ARGUMENT;
  ConstPacked jacobian(H, rows, m);
  ConstColumn residual(r, rows);
  if (!jacobian.allFinite() || !residual.allFinite()) return FUSE_LA_NOT_FINITE;

  Matrix involved;  // H P restricted to the involved columns
  if (allColumns) {
    out.HP.noalias() = jacobian * gatherRows(P, columns, m);
    involved = gatherColumns(out.HP, columns, m);
  } else {
    Matrix square(m, m);
    for (int32_t i = 0; i < m; ++i)
      for (int32_t j = 0; j < m; ++j) square(i, j) = P(columns[i], columns[j]);
    involved.noalias() = jacobian * square;
  }
  Eigen::MatrixXd S = involved * jacobian.transpose();
  if (R)
    S += ConstPacked(R, rows, rows);
  else
    S.diagonal().array() += 1;
  if (!S.allFinite()) return FUSE_LA_NOT_FINITE;
  out.factor.compute(S);
  if (out.factor.info() != Eigen::Success) return FUSE_LA_NOT_POSITIVE;
  out.whitened = residual;
  out.factor.matrixL().solveInPlace(out.whitened);
  return out.whitened.allFinite() ? FUSE_LA_OK : FUSE_LA_NOT_FINITE;
}

}  // namespace

int fuse_la_innovation(const double *P, int32_t n, int32_t ld, const int32_t *columns, int32_t m, const double *H,
                       int32_t rows, const double *r, const double *R, double *nis) {
  return guarded([&]() -> int {
    if (n <= 0 || ld < n) return FUSE_LA_BAD_ARGUMENT;
    Innovation innovation;
    const ConstStrided full(P, n, n, Eigen::OuterStride<>(ld));
    const int status = innovate(full, columns, m, H, rows, r, R, false, innovation);
    if (status != FUSE_LA_OK) return status;
    *nis = innovation.whitened.squaredNorm();
    return FUSE_LA_OK;
  });
}

int fuse_la_update(double *P, int32_t n, int32_t ld, const int32_t *columns, int32_t m, const double *H, int32_t rows,
                   const double *r, const double *R, double gate, double *correction, double *nis) {
  return guarded([&]() -> int {
    if (n <= 0 || ld < n) return FUSE_LA_BAD_ARGUMENT;
    Innovation innovation;
    const ConstStrided before(P, n, n, Eigen::OuterStride<>(ld));
    const int status = innovate(before, columns, m, H, rows, r, R, true, innovation);
    if (status != FUSE_LA_OK) return status;
    *nis = innovation.whitened.squaredNorm();
    if (!(*nis <= gate)) return FUSE_LA_REJECTED;

    Eigen::MatrixXd Y = innovation.HP;  // column-major: the rank update below walks columns
    innovation.factor.matrixL().solveInPlace(Y);
    if (!Y.allFinite()) return FUSE_LA_NOT_FINITE;
    for (int32_t i = 0; i < n; ++i)
      if (!(P[static_cast<size_t>(i) * ld + i] - Y.col(i).squaredNorm() >= 0))
        return FUSE_LA_NOT_POSITIVE;

    Column(correction, n).noalias() = Y.transpose() * innovation.whitened;
    // The buffer's row-major lower triangle is a column-major upper one: update it once, then mirror.
    Eigen::Map<Eigen::MatrixXd, 0, Eigen::OuterStride<>> full(P, n, n, Eigen::OuterStride<>(ld));
    full.selfadjointView<Eigen::Upper>().rankUpdate(Y.transpose(), -1.0);
    full.triangularView<Eigen::StrictlyLower>() = full.transpose();
    return FUSE_LA_OK;
  });
}
