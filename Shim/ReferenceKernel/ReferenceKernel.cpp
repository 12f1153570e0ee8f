#include <eigen3/Eigen/Cholesky>
#include <eigen3/Eigen/QR>

#include "CReferenceKernel.h"

namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;
using Packed = Eigen::Map<Matrix>;
using ConstPacked = Eigen::Map<const Matrix>;
using Column = Eigen::Map<Vector>;
using ConstColumn = Eigen::Map<const Vector>;

template <typename Body>
int guarded(Body body) noexcept {
  try {
    return body() ? 0 : 1;
  } catch (...) {
    return 1;
  }
}

}  // namespace

int fuse_reference_update(double *P, int32_t n, const int32_t *columns, int32_t m, const double *H, int32_t rows,
                          const double *r, double *correction) {
  return guarded([&] {
    ConstPacked jacobian(H, rows, m);
    ConstColumn residual(r, rows);
    if (!jacobian.allFinite() || !residual.allFinite()) return false;
    Matrix gathered(m, n);
    for (int32_t i = 0; i < m; ++i) gathered.row(i) = ConstPacked(P, n, n).row(columns[i]);
    Matrix HP(rows, n);
    HP.noalias() = jacobian * gathered;
    Matrix involved(rows, m);
    for (int32_t j = 0; j < m; ++j) involved.col(j) = HP.col(columns[j]);
    Eigen::MatrixXd S = involved * jacobian.transpose();
    S.diagonal().array() += 1;
    Eigen::LLT<Eigen::MatrixXd> factor;
    factor.compute(S);
    if (factor.info() != Eigen::Success) return false;
    Vector whitened = residual;
    factor.matrixL().solveInPlace(whitened);
    Eigen::MatrixXd Y = HP;  // column-major: the rank update below walks columns
    factor.matrixL().solveInPlace(Y);
    if (!Y.allFinite()) return false;
    for (int32_t i = 0; i < n; ++i)
      if (!(P[static_cast<size_t>(i) * n + i] - Y.col(i).squaredNorm() >= 0)) return false;
    Column(correction, n).noalias() = Y.transpose() * whitened;
    Eigen::Map<Eigen::MatrixXd> full(P, n, n);
    full.selfadjointView<Eigen::Upper>().rankUpdate(Y.transpose(), -1.0);
    full.triangularView<Eigen::StrictlyLower>() = full.transpose();
    return true;
  });
}

int fuse_reference_project(double *F, int32_t rows, double *H, int32_t m, double *r) {
  return guarded([&] {
    Packed feature(F, rows, 3), jacobian(H, rows, m);
    Column residual(r, rows);
    if (!feature.allFinite() || !jacobian.allFinite() || !residual.allFinite()) return false;
    Vector v(rows);
    for (int32_t k = 0; k < 3; ++k) {
      const int32_t tail = rows - k;
      v.head(tail) = feature.col(k).tail(tail);
      const double norm = v.head(tail).norm();
      if (norm == 0) continue;
      v(0) += v(0) < 0 ? -norm : norm;
      const double scale = 2 / v.head(tail).squaredNorm();
      const auto reflect = [&](auto block) {
        const Eigen::RowVectorXd w = scale * (v.head(tail).transpose() * block);
        block.noalias() -= v.head(tail) * w;
      };
      reflect(feature.block(k, k, tail, 3 - k));
      reflect(jacobian.bottomRows(tail));
      const double w = scale * v.head(tail).dot(residual.tail(tail));
      residual.tail(tail) -= w * v.head(tail);
    }
    return true;
  });
}

int fuse_reference_compress(double *H, int32_t rows, int32_t m, double *r) {
  return guarded([&] {
    Packed jacobian(H, rows, m);
    Column residual(r, rows);
    if (!jacobian.allFinite() || !residual.allFinite()) return false;
    Eigen::HouseholderQR<Eigen::MatrixXd> qr(jacobian);
    Vector rotated = residual;
    rotated.applyOnTheLeft(qr.householderQ().adjoint());
    jacobian.topRows(m) = qr.matrixQR().topRows(m).triangularView<Eigen::Upper>();
    residual = rotated;
    return true;
  });
}
