// What every kernel shares: the views on C arrays and the wall that no exception passes.
#ifndef FUSE_LINEAR_ALGEBRA_BORDER_HPP
#define FUSE_LINEAR_ALGEBRA_BORDER_HPP
#include <eigen3/Eigen/Core>
#include <new>

#include "CLinearAlgebra.h"

namespace fuse {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;
using Packed = Eigen::Map<Matrix>;
using ConstPacked = Eigen::Map<const Matrix>;
using Strided = Eigen::Map<Matrix, 0, Eigen::OuterStride<>>;
using ConstStrided = Eigen::Map<const Matrix, 0, Eigen::OuterStride<>>;
using ConstColumn = Eigen::Map<const Vector>;
using Column = Eigen::Map<Vector>;

/// Runs `body`, which returns a status code, and turns every exception into one.
template <typename Body>
int guarded(Body body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return FUSE_LA_NO_MEMORY;
  } catch (...) {
    return FUSE_LA_FAILED;
  }
}

/// True when every index is inside 0 ..< n.
inline bool inside(const int32_t *columns, int32_t m, int32_t n) {
  for (int32_t i = 0; i < m; ++i)
    if (columns[i] < 0 || columns[i] >= n) return false;
  return true;
}

/// P's rows `columns`, all n columns: m x n.
inline Matrix gatherRows(const ConstStrided &P, const int32_t *columns, int32_t m) {
  Matrix rows(m, P.cols());
  for (int32_t i = 0; i < m; ++i) rows.row(i) = P.row(columns[i]);
  return rows;
}

/// A's columns `columns`: rows x m.
inline Matrix gatherColumns(const Matrix &A, const int32_t *columns, int32_t m) {
  Matrix result(A.rows(), m);
  for (int32_t j = 0; j < m; ++j) result.col(j) = A.col(columns[j]);
  return result;
}

}  // namespace fuse
#endif
