// QR compression of many rows into as many as there are columns.
#include <algorithm>

#include "Sparse.hpp"

using namespace fuse;

namespace {

/// Number of reflections applied together, and of columns at a time: as many as fit the registers.
constexpr int32_t kPanel = 4;
/// Two numbers in one vector register.
typedef double Pair __attribute__((vector_size(16), aligned(8), may_alias));

/// Rows of R below this fraction of the largest element are rounding errors.
constexpr double kNegligible = 1e-11;

/// Up to four Householder reflections: I - s_q v_q v_q^T one after the other, the v_q side by side.
struct Panel {
  double *v;  ///< rows x 4
  int32_t rows;
  double scale[kPanel] = {};
  double coupling[kPanel][kPanel] = {};  ///< v_q^T v_p for p < q

  /// Triangularises the first `count` columns of A (rows `ld` apart) and keeps the reflections.
  Panel(double *A, int32_t rows, int32_t count, int32_t ld, double *v) : v(v), rows(rows) {
    for (int32_t i = 0; i < rows; ++i)
      for (int32_t q = 0; q < kPanel; ++q) v[i * kPanel + q] = q < count ? A[static_cast<size_t>(i) * ld + q] : 0;
    for (int32_t q = 0; q < count; ++q) reflect(q, count);
    for (int32_t i = 0; i < rows; ++i)
      for (int32_t q = 0; q < count; ++q) {
        A[static_cast<size_t>(i) * ld + q] = i < q ? v[i * kPanel + q] : i == q ? diagonal[q] : 0;
        if (i < q) v[i * kPanel + q] = 0;
      }
    for (int32_t i = 0; i < rows; ++i)
      for (int32_t q = 1; q < kPanel; ++q)
        for (int32_t p = 0; p < q; ++p) coupling[q][p] += v[i * kPanel + q] * v[i * kPanel + p];
  }

  /// Applies the reflections to four columns.
  void apply(double *A, int32_t ld) const {
    Pair w[kPanel][2] = {};
    for (int32_t i = 0; i < rows; ++i) {
      const Pair *a = reinterpret_cast<const Pair *>(A + static_cast<size_t>(i) * ld);
      for (int32_t q = 0; q < kPanel; ++q)
        for (int32_t h = 0; h < 2; ++h) w[q][h] += v[i * kPanel + q] * a[h];
    }
    for (int32_t q = 0; q < kPanel; ++q)
      for (int32_t h = 0; h < 2; ++h) {
        for (int32_t p = 0; p < q; ++p) w[q][h] -= coupling[q][p] * w[p][h];
        w[q][h] *= scale[q];
      }
    for (int32_t i = 0; i < rows; ++i) {
      Pair *a = reinterpret_cast<Pair *>(A + static_cast<size_t>(i) * ld);
      const double *row = v + i * kPanel;
      for (int32_t h = 0; h < 2; ++h) a[h] -= row[0] * w[0][h] + row[1] * w[1][h] + row[2] * w[2][h] + row[3] * w[3][h];
    }
  }

 private:
  double diagonal[kPanel] = {};

  /// The reflection of column q, applied to the panel's later columns.
  void reflect(int32_t q, int32_t count) {
    // Products of column q with all four, in two chains for speed.
    Pair sums[2][2] = {};
    for (int32_t i = q; i < rows; ++i) {
      const Pair *a = reinterpret_cast<const Pair *>(v + i * kPanel);
      for (int32_t h = 0; h < 2; ++h) sums[i & 1][h] += v[i * kPanel + q] * a[h];
    }
    double products[kPanel], steps[kPanel] = {};
    for (int32_t p = 0; p < kPanel; ++p) products[p] = sums[0][p / 2][p % 2] + sums[1][p / 2][p % 2];
    const double norm = std::sqrt(products[q]), top = v[q * kPanel + q];
    if (norm == 0) return;
    diagonal[q] = top < 0 ? norm : -norm;
    v[q * kPanel + q] = top - diagonal[q];
    scale[q] = -1 / (diagonal[q] * v[q * kPanel + q]);
    for (int32_t p = q + 1; p < count; ++p) steps[p] = scale[q] * (products[p] - diagonal[q] * v[q * kPanel + p]);
    const Pair step[2] = {{steps[0], steps[1]}, {steps[2], steps[3]}};
    for (int32_t i = q; i < rows; ++i) {
      Pair *a = reinterpret_cast<Pair *>(v + i * kPanel);
      const double factor = v[i * kPanel + q];
      for (int32_t h = 0; h < 2; ++h) a[h] -= factor * step[h];
    }
  }
};

/// Number of significant rows of R (m x m, `ld` apart); the others are at the end.
int32_t significantRows(const double *R, int32_t m, int32_t ld) {
  const auto largest = [&](int32_t i) {
    double most = 0;
    for (int32_t j = i; j < m; ++j) most = std::max(most, std::abs(R[static_cast<size_t>(i) * ld + j]));
    return most;
  };
  double most = 0;
  for (int32_t i = 0; i < m; ++i) most = std::max(most, largest(i));
  int32_t rows = m;
  while (rows > 1 && largest(rows - 1) <= kNegligible * most) --rows;
  return rows;
}

}  // namespace

int fuse_la_compress(const fuse_la_stack *stack, int32_t n, fuse_la_workspace *workspace, int32_t *columns, double *H,
                     double *r, int32_t *rows, int32_t *width) {
  return guarded([&]() -> int {
    Extent extent;
    const int status = n <= 0 ? FUSE_LA_BAD_ARGUMENT : inspect(*stack, n, extent);
    if (status != FUSE_LA_OK) return status;
    // Index of each column of P in the union.
    workspace->indices.assign(std::max<size_t>(workspace->indices.size(), n), 0);
    int32_t *index = workspace->indices.data();
    for (int32_t j = 0; j < extent.columns; ++j) index[stack->columns[j]] = 1;
    int32_t m = 0;
    for (int32_t j = 0; j < n; ++j)
      if (index[j]) {
        index[j] = m;
        columns[m++] = j;
      }
    *width = m;
    if (extent.rows <= m) return FUSE_LA_REJECTED;

    // The residual is one more column; rows are padded with zeros for the processing of four columns at a time.
    const int32_t ld = (m + 1 + kPanel - 1) / kPanel * kPanel + kPanel;
    Allocator allocator(workspace, static_cast<size_t>(extent.rows) * (ld + kPanel));
    double *A = allocator.allocate(static_cast<size_t>(extent.rows) * ld),
        *v = allocator.allocate(static_cast<size_t>(extent.rows) * kPanel);
    std::fill_n(A, static_cast<size_t>(extent.rows) * ld, 0.0);
    double *row = A;
    forEachPart(*stack, [&](const Part &part) {
      for (int32_t i = 0; i < part.rows; ++i, row += ld) {
        for (int32_t j = 0; j < part.m; ++j) row[index[part.columns[j]]] = part.H[static_cast<size_t>(i) * part.m + j];
        row[m] = part.r[i];
      }
    });
    for (int32_t k = 0; k < m; k += kPanel) {
      const int32_t count = std::min(kPanel, m - k);
      double *corner = A + static_cast<size_t>(k) * ld + k;
      const Panel panel(corner, extent.rows - k, count, ld, v);
      for (int32_t j = count; k + j <= m; j += kPanel) panel.apply(corner + j, ld);
    }
    *rows = significantRows(A, m, ld);
    for (int32_t i = 0; i < *rows; ++i) {
      std::copy_n(A + static_cast<size_t>(i) * ld, m, H + static_cast<size_t>(i) * m);
      r[i] = A[static_cast<size_t>(i) * ld + m];
    }
    return finite(H, static_cast<size_t>(*rows) * m) && finite(r, *rows) ? FUSE_LA_OK : FUSE_LA_NOT_FINITE;
  });
}
