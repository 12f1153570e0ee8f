// The Kalman update over the involved columns, and its gate.
#include <eigen3/Eigen/Cholesky>

#include "Sparse.hpp"

using namespace fuse;

namespace {

/// Rows per block, so that the triangular solves are short.
constexpr int32_t kBlockRows = 32;
/// Side of the tiles for copying a triangle: two of them fit a cache's associativity.
constexpr int32_t kTile = 8;

/// S (k x k, both triangles) becomes its Cholesky factor (lower); z becomes L^-1 z.
int factor(double *S, double *z, int32_t k) {
  Packed matrix(S, k, k);
  if (!matrix.allFinite()) return FUSE_LA_NOT_FINITE;
  const Eigen::LLT<Eigen::Ref<Matrix>> factored(matrix);  // in place
  if (factored.info() != Eigen::Success) return FUSE_LA_NOT_POSITIVE;
  Column whitened(z, k);
  factored.matrixL().solveInPlace(whitened);
  return whitened.allFinite() ? FUSE_LA_OK : FUSE_LA_NOT_FINITE;
}

/// S += R, or the identity without R.
void addNoise(double *S, const double *R, int32_t k) {
  Packed matrix(S, k, k);
  if (R)
    matrix += ConstPacked(R, k, k);
  else
    matrix.diagonal().array() += 1;
}

/// Copies the lower triangle to the upper one.
void symmetrise(double *P, int32_t n, int32_t ld) {
  const auto copy = [=](int32_t i, int32_t j) { P[static_cast<size_t>(j) * ld + i] = P[static_cast<size_t>(i) * ld + j]; };
  const int32_t whole = n / kTile * kTile;
  for (int32_t top = 0; top < whole; top += kTile) {
    for (int32_t left = 0; left < top; left += kTile)
      for (int32_t j = left; j < left + kTile; ++j)
        for (int32_t i = 0; i < kTile; ++i) copy(top + i, j);
    for (int32_t i = top; i < top + kTile; ++i)
      for (int32_t j = top; j < i; ++j) copy(i, j);
  }
  for (int32_t i = whole; i < n; ++i)
    for (int32_t j = 0; j < i; ++j) copy(i, j);
}

/// Some rows of one part, without leading columns that are zero in all of them.
struct Chunk {
  const double *H, *r;
  const int32_t *columns;
  int32_t rows, m, stride;

  Chunk() = default;
  Chunk(const Part &part, int32_t first, int32_t rows) : rows(rows), stride(part.m) {
    H = part.H + static_cast<size_t>(first) * part.m;
    r = part.r + first;
    int32_t zeros = 0;
    while (zeros + 1 < part.m && Eigen::Map<const Vector, 0, Eigen::InnerStride<>>(H + zeros, rows, Eigen::InnerStride<>(stride)).isZero(0))
      ++zeros;
    H += zeros;
    columns = part.columns + zeros;
    m = part.m - zeros;
  }
};

/// One update, one block of rows after the other.
class Update {
 public:
  Update(double *P, int32_t n, int32_t ld, const Extent &extent, const double *R, double gate, fuse_la_workspace *workspace,
         double *correction)
      : kernel(workspace->kernel), P(P), n(n), ld(ld), R(R), gate(gate), correction(correction) {
    blocks_ = R ? 1 : (extent.rows + kBlockRows - 1) / kBlockRows;
    height_ = (extent.rows + blocks_ - 1) / blocks_;
    const size_t turned = 2 * static_cast<size_t>(height_) * extent.mostColumns;
    Allocator allocator(workspace, height_ * (n + height_ + 1) + turned + n + (blocks_ > 1 ? triangle() : 0));
    Y = allocator.allocate(static_cast<size_t>(height_) * n);
    S = allocator.allocate(static_cast<size_t>(height_) * height_);
    z = allocator.allocate(height_);
    left = allocator.allocate(n);
    scratch = allocator.allocate(turned);
    backup = blocks_ > 1 ? allocator.allocate(triangle()) : nullptr;
  }

  int run(const fuse_la_stack &stack, double &nis) {
    nis = 0;
    std::fill_n(correction, n, 0.0);
    if (backup) keep();
    int status = FUSE_LA_OK;
    forEachPart(stack, [&](const Part &part) {
      for (int32_t first = 0; first < part.rows && status == FUSE_LA_OK;) {
        const int32_t rows = std::min(part.rows - first, height_ - rows_);
        chunks_[count_++] = Chunk(part, first, rows);
        rows_ += rows;
        first += rows;
        if (rows_ == height_) status = close(nis);
      }
    });
    if (status == FUSE_LA_OK && rows_ > 0) status = close(nis);
    if (status != FUSE_LA_OK && backup) restore();
    return status;
  }

 private:
  Strided full() { return Strided(P, n, n, Eigen::OuterStride<>(ld)); }

  // The lower triangle before the first block, row by row.
  size_t triangle() const { return static_cast<size_t>(n) * (n + 1) / 2; }
  void keep() const {
    double *to = backup;
    for (int32_t i = 0; i < n; to += ++i) std::copy_n(P + static_cast<size_t>(i) * ld, i + 1, to);
  }
  void restore() {
    const double *from = backup;
    for (int32_t i = 0; i < n; from += ++i) std::copy_n(from, i + 1, P + static_cast<size_t>(i) * ld);
    symmetrise(P, n, ld);
  }

  /// Updates by the chunks gathered so far.
  int close(double &nis) {
    const int32_t k = rows_;
    predict();
    addNoise(S, R, k);
    const int status = factor(S, z, k);
    if (status != FUSE_LA_OK) return status;
    nis += Column(z, k).squaredNorm();
    if (!(nis <= gate)) return FUSE_LA_REJECTED;
    Packed gain(Y, k, n);
    kernel.solveLower(S, k, Y, n);
    if (!gain.allFinite()) return FUSE_LA_NOT_FINITE;
    Eigen::Map<Eigen::RowVectorXd> variances(left, n);
    variances = full().diagonal().transpose();
    for (int32_t i = 0; i < k; ++i) variances -= gain.row(i).cwiseAbs2();
    if (!(variances.minCoeff() >= 0)) return FUSE_LA_NOT_POSITIVE;
    Column(correction, n).noalias() += gain.transpose() * Column(z, k);
    kernel.subtractSquare(Y, k, n, P, ld);
    symmetrise(P, n, ld);
    rows_ = count_ = 0;
    return FUSE_LA_OK;
  }

  /// Y = H P, S = H P H^T, z = r - H correction.
  void predict() {
    int32_t top = 0;
    for (int32_t c = 0; c < count_; ++c) {
      const Chunk &chunk = chunks_[c];
      multiplyRows(kernel, chunk.H, chunk.rows, chunk.m, chunk.stride, chunk.columns, P, n, ld, Y + static_cast<size_t>(top) * n);
      for (int32_t i = 0; i < chunk.rows; ++i) {
        const double *h = chunk.H + static_cast<size_t>(i) * chunk.stride;
        double predicted = 0;
        for (int32_t j = 0; j < chunk.m; ++j) predicted += h[j] * correction[chunk.columns[j]];
        z[top + i] = chunk.r[i] - predicted;
      }
      top += chunk.rows;
    }
    int32_t side = 0;
    for (int32_t c = 0; c < count_; ++c) {
      const Chunk &chunk = chunks_[c];
      multiplyColumns(kernel, Y, rows_, n, chunk.columns, chunk.H, chunk.rows, chunk.m, chunk.stride, S + side, rows_, scratch);
      side += chunk.rows;
    }
  }

  const Kernel &kernel;
  double *P;
  int32_t n, ld;
  const double *R;
  double gate;
  double *correction;
  double *Y, *S, *z, *left, *scratch, *backup;
  int32_t blocks_, height_, rows_ = 0, count_ = 0;
  Chunk chunks_[kBlockRows];  // a row each at least; with R there is one part in one block
};

}  // namespace

fuse_la_workspace *fuse_la_workspace_create(bool usesBaseline) {
  return new (std::nothrow) fuse_la_workspace{usesBaseline ? baselineKernel : fastestKernel(), {}, {}};
}
void fuse_la_workspace_destroy(fuse_la_workspace *workspace) { delete workspace; }

int fuse_la_innovations(const double *P, int32_t n, int32_t ld, const fuse_la_stack *stack, const double *R,
                        fuse_la_workspace *workspace, double *nis) {
  return guarded([&]() -> int {
    if (n <= 0 || ld < n || (R && stack->count != 1)) return FUSE_LA_BAD_ARGUMENT;
    Extent extent;
    const int status = inspect(*stack, n, extent);
    if (status == FUSE_LA_BAD_ARGUMENT) return status;
    const size_t k = extent.mostRows, m = extent.mostColumns;
    Allocator allocator(workspace, m * m + 2 * k * m + k * k + k);
    double *square = allocator.allocate(m * m), *Y = allocator.allocate(k * m), *turned = allocator.allocate(k * m),
        *S = allocator.allocate(k * k), *z = allocator.allocate(k);
    forEachPart(*stack, [&](const Part &part) {
      const int32_t rows = part.rows, width = part.m;
      for (int32_t i = 0; i < width; ++i) {
        const double *row = P + static_cast<size_t>(part.columns[i]) * ld;
        for (int32_t j = 0; j < width; ++j) square[static_cast<size_t>(i) * width + j] = row[part.columns[j]];
      }
      workspace->kernel.multiply({Y, width, rows, width, width, {part.H, width, 1}, {square, width, nullptr}});
      transpose(part.H, rows, width, width, turned);
      workspace->kernel.multiply({S, rows, rows, rows, width, {Y, width, 1}, {turned, rows, nullptr}});
      addNoise(S, R, rows);
      std::copy_n(part.r, rows, z);
      *nis++ = factor(S, z, rows) == FUSE_LA_OK ? Column(z, rows).squaredNorm() : NAN;
    });
    return FUSE_LA_OK;
  });
}

int fuse_la_update(double *P, int32_t n, int32_t ld, const fuse_la_stack *stack, const double *R, double gate,
                   fuse_la_workspace *workspace, double *correction, double *nis) {
  return guarded([&]() -> int {
    if (n <= 0 || ld < n || (R && stack->count != 1)) return FUSE_LA_BAD_ARGUMENT;
    Extent extent;
    const int status = inspect(*stack, n, extent);
    if (status != FUSE_LA_OK) return status;
    return Update(P, n, ld, extent, R, gate, workspace, correction).run(*stack, *nis);
  });
}
