// Propagation, transformation and augmentation of the covariance.
#include "Sparse.hpp"

using namespace fuse;

namespace {

/// A transformed block: its rows (size x n) against everything, and its own part (size x size).
struct Image {
  double *rows, *own;

  /// Numbers needed for it and for `multiplyColumns`.
  static size_t numbers(int32_t n, int32_t size, int32_t m) {
    return static_cast<size_t>(size) * n + static_cast<size_t>(size) * size + 2 * static_cast<size_t>(m) * size;
  }

  /// J P[columns] and J P[columns, columns] J^T.
  Image(const Kernel &kernel, Allocator &allocator, const double *P, int32_t n, int32_t ld, int32_t size, const int32_t *columns, int32_t m,
        const double *J)
      : rows(allocator.allocate(static_cast<size_t>(size) * n)),
        own(allocator.allocate(static_cast<size_t>(size) * size)) {
    double *scratch = allocator.allocate(2 * static_cast<size_t>(m) * size);
    multiplyRows(kernel, J, size, m, m, columns, P, n, ld, rows);
    multiplyColumns(kernel, rows, size, n, columns, J, size, m, m, own, size, scratch);
  }

  bool isFinite(int32_t n, int32_t size) const {
    return finite(rows, static_cast<size_t>(size) * n) && finite(own, static_cast<size_t>(size) * size);
  }

  /// Writes `cross` columns of `rows`, and `own`, into P (n x n) at `offset`, symmetrically.
  void write(double *P, int32_t ld, int32_t offset, int32_t size, int32_t cross) const {
    Strided full(P, std::max(cross, offset + size), std::max(cross, offset + size), Eigen::OuterStride<>(ld));
    const ConstPacked across(rows, size, cross), square(own, size, size);
    full.block(offset, 0, size, cross) = across;
    full.block(0, offset, cross, size) = across.transpose();
    for (int32_t i = 0; i < size; ++i)
      for (int32_t j = 0; j <= i; ++j)
        full(offset + i, offset + j) = full(offset + j, offset + i) = 0.5 * (square(i, j) + square(j, i));
  }
};

}  // namespace

int fuse_la_propagate(double *P, int32_t n, int32_t ld, int32_t offset, int32_t size, const double *F, const double *Q,
                      fuse_la_workspace *workspace) {
  return guarded([&]() -> int {
    if (n <= 0 || ld < n || offset < 0 || size <= 0 || offset + size > n) return FUSE_LA_BAD_ARGUMENT;
    const size_t square = static_cast<size_t>(size) * size;
    if (!finite(F, square) || !finite(Q, square)) return FUSE_LA_NOT_FINITE;
    workspace->indices.resize(std::max<size_t>(workspace->indices.size(), size));
    for (int32_t i = 0; i < size; ++i) workspace->indices[i] = offset + i;
    Allocator allocator(workspace, Image::numbers(n, size, size));
    const Image image(workspace->kernel, allocator, P, n, ld, size, workspace->indices.data(), size, F);
    for (size_t i = 0; i < square; ++i) image.own[i] += Q[i];
    if (!image.isFinite(n, size)) return FUSE_LA_NOT_FINITE;
    image.write(P, ld, offset, size, n);
    return FUSE_LA_OK;
  });
}

int fuse_la_transform(double *P, int32_t n, int32_t ld, int32_t offset, int32_t size, const int32_t *columns, int32_t m,
                      const double *J, fuse_la_workspace *workspace) {
  return guarded([&]() -> int {
    if (n <= 0 || ld < n || offset < 0 || size <= 0 || offset + size > n || m <= 0 || !inside(columns, m, n))
      return FUSE_LA_BAD_ARGUMENT;
    Allocator allocator(workspace, Image::numbers(n, size, m));
    const Image image(workspace->kernel, allocator, P, n, ld, size, columns, m, J);
    if (!image.isFinite(n, size)) return FUSE_LA_NOT_FINITE;
    image.write(P, ld, offset, size, n);
    return FUSE_LA_OK;
  });
}

int fuse_la_augment(double *P, int32_t n, int32_t ld, int32_t size, const int32_t *columns, int32_t m, const double *J,
                    const double *W, fuse_la_workspace *workspace) {
  return guarded([&]() -> int {
    if (n <= 0 || size <= 0 || m < 0 || ld < n + size || !inside(columns, m, n)) return FUSE_LA_BAD_ARGUMENT;
    Allocator allocator(workspace, Image::numbers(n, size, m));
    const Image image(workspace->kernel, allocator, P, n, ld, size, columns, m, J);
    if (W)
      for (int32_t i = 0; i < size * size; ++i) image.own[i] += W[i];
    if (!image.isFinite(n, size)) return FUSE_LA_NOT_FINITE;
    image.write(P, ld, n, size, n);
    return FUSE_LA_OK;
  });
}
