// QR compression of many rows into as many as there are columns.
#include <algorithm>

#include "Sparse.hpp"

using namespace fuse;

namespace {

/// Rows of R below this fraction of the largest element are rounding errors.
constexpr double kNegligible = 1e-11;

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
    const int32_t ld = (m + kPanel) / kPanel * kPanel + kPanel;
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
    workspace->kernel.triangularise(A, extent.rows, m, ld, v);
    *rows = significantRows(A, m, ld);
    for (int32_t i = 0; i < *rows; ++i) {
      std::copy_n(A + static_cast<size_t>(i) * ld, m, H + static_cast<size_t>(i) * m);
      r[i] = A[static_cast<size_t>(i) * ld + m];
    }
    return finite(H, static_cast<size_t>(*rows) * m) && finite(r, *rows) ? FUSE_LA_OK : FUSE_LA_NOT_FINITE;
  });
}
