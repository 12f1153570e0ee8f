// Shared by all kernels: views of C arrays, work space, and the exception barrier.
#ifndef FUSE_LINEAR_ALGEBRA_C_INTERFACE_HPP
#define FUSE_LINEAR_ALGEBRA_C_INTERFACE_HPP
#include <eigen3/Eigen/Core>
#include <cmath>
#include <new>
#include <vector>

#include "CLinearAlgebra.h"
#include "Kernel.hpp"

struct fuse_la_workspace {
  const fuse::Kernel &kernel;
  std::vector<double> numbers;
  std::vector<int32_t> indices;
};

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

/// Allocates pieces of a workspace, one after the other; all are invalid after the next `Allocator` on the same workspace.
class Allocator {
 public:
  /// With space for `count` numbers in all.
  Allocator(fuse_la_workspace *workspace, size_t count) {
    if (workspace->numbers.size() < count) workspace->numbers.resize(count);
    next_ = workspace->numbers.data();
  }
  double *allocate(size_t count) {
    double *piece = next_;
    next_ += count;
    return piece;
  }

 private:
  double *next_;
};

/// True when every index is inside 0 ..< n.
inline bool inside(const int32_t *columns, int32_t m, int32_t n) {
  for (int32_t i = 0; i < m; ++i)
    if (columns[i] < 0 || columns[i] >= n) return false;
  return true;
}

/// True when no number is NaN or infinite.
inline bool finite(const double *numbers, size_t count) { return ConstColumn(numbers, count).allFinite(); }

}  // namespace fuse
#endif
