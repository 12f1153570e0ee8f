// The envelope matrix, its views, and the exception barrier.
#ifndef FUSE_BLOCK_CHOLESKY_SYSTEM_HPP
#define FUSE_BLOCK_CHOLESKY_SYSTEM_HPP
#include <eigen3/Eigen/Core>
#include <cstddef>
#include <new>
#include <vector>

#include "CBlockCholesky.h"

namespace fuse_bc {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;
using Packed = Eigen::Map<const Matrix>;
using View = Eigen::Map<Matrix, 0, Eigen::OuterStride<>>;

/// Lower block rows of a symmetric matrix: row i holds columns of blocks first[i]...i side by side.
struct Envelope {
  std::vector<double> numbers;
  std::vector<std::size_t> start;  // of each block row in `numbers`
};

/// Runs `body`, which returns a status code, and turns every exception into one.
template <typename Body>
int guarded(Body body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return FUSE_BC_NO_MEMORY;
  } catch (...) {
    return FUSE_BC_FAILED;
  }
}

}  // namespace fuse_bc

struct fuse_bc_system {
  std::vector<int32_t> size, first;
  std::vector<int64_t> offset;  // first scalar row of each block; one more for the end
  fuse_bc::Envelope matrix;  // H, then its factor, then the inverse
  bool isInverted = false;
  fuse_bc::Vector gradient;

  int32_t count() const { return static_cast<int32_t>(size.size()); }
  /// Scalars that block row i spans.
  int64_t width(int32_t i) const { return offset[i + 1] - offset[first[i]]; }
  /// Columns of blocks from...to-1 in block row i.
  fuse_bc::View part(fuse_bc::Envelope &e, int32_t i, int32_t from, int32_t to) const {
    return fuse_bc::View(e.numbers.data() + e.start[i] + (offset[from] - offset[first[i]]), size[i],
                         offset[to] - offset[from], Eigen::OuterStride<>(width(i)));
  }
  fuse_bc::View block(fuse_bc::Envelope &e, int32_t i, int32_t j) const { return part(e, i, j, j + 1); }
  bool holds(int32_t i, int32_t j) const { return i >= 0 && i < count() && j >= first[i] && j <= i; }
};
#endif
