// Products with the covariance over the involved columns only.
#ifndef FUSE_LINEAR_ALGEBRA_SPARSE_HPP
#define FUSE_LINEAR_ALGEBRA_SPARSE_HPP
#include "CInterface.hpp"

namespace fuse {

/// One part of a stack.
struct Part {
  int32_t rows, m;
  const int32_t *columns;
  const double *H, *r;
};

/// Calls `body` with every part of a stack, in order.
template <typename Body>
void forEachPart(const fuse_la_stack &stack, Body body) {
  Part part{0, 0, stack.columns, stack.H, stack.r};
  for (int32_t i = 0; i < stack.count; ++i) {
    part.rows = stack.rows[i];
    part.m = stack.widths[i];
    body(part);
    part.columns += part.m;
    part.H += static_cast<size_t>(part.rows) * part.m;
    part.r += part.rows;
  }
}

/// Size of a stack: rows and columns of all parts together, and the most of one part.
struct Extent {
  int32_t rows = 0, columns = 0, mostRows = 0, mostColumns = 0;
};

/// The extent of a stack over n columns of P; FUSE_LA_OK when its sizes and indices are in range and its numbers finite.
inline int inspect(const fuse_la_stack &stack, int32_t n, Extent &extent) {
  if (stack.count <= 0) return FUSE_LA_BAD_ARGUMENT;
  for (int32_t i = 0; i < stack.count; ++i)
    if (stack.rows[i] <= 0 || stack.widths[i] <= 0) return FUSE_LA_BAD_ARGUMENT;
  int status = FUSE_LA_OK;
  forEachPart(stack, [&](const Part &part) {
    extent.rows += part.rows;
    extent.columns += part.m;
    extent.mostRows = std::max(extent.mostRows, part.rows);
    extent.mostColumns = std::max(extent.mostColumns, part.m);
    if (!inside(part.columns, part.m, n)) status = FUSE_LA_BAD_ARGUMENT;
    else if (status == FUSE_LA_OK && !(finite(part.H, static_cast<size_t>(part.rows) * part.m) && finite(part.r, part.rows)))
      status = FUSE_LA_NOT_FINITE;
  });
  return status;
}

/// T = A^T for A (rows x m, rows `lda` apart): T is m x rows.
inline void transpose(const double *A, int32_t rows, int32_t m, int32_t lda, double *T) {
  for (int32_t j = 0; j < m; ++j)
    for (int32_t i = 0; i < rows; ++i) T[static_cast<size_t>(j) * rows + i] = A[static_cast<size_t>(i) * lda + j];
}

/// Y = A P[columns] for A (rows x m, rows `lda` apart) and P (n x n): Y is rows x n.
inline void multiplyRows(const Kernel &kernel, const double *A, int32_t rows, int32_t m, int32_t lda, const int32_t *columns, const double *P,
                         int32_t n, int32_t ld, double *Y) {
  kernel.multiply({Y, n, rows, n, m, {A, lda, 1}, {P, ld, columns}});
}

/// S = Y[:, columns] A^T for Y (high x n) and A (rows x m, rows `lda` apart): S is high x rows, its rows `lds` apart.
/// `scratch`: (high + rows) m numbers.
inline void multiplyColumns(const Kernel &kernel, const double *Y, int32_t high, int32_t n, const int32_t *columns, const double *A, int32_t rows,
                            int32_t m, int32_t lda, double *S, int32_t lds, double *scratch) {
  double *gathered = scratch, *turned = scratch + static_cast<size_t>(high) * m;
  for (int32_t i = 0; i < high; ++i)
    for (int32_t j = 0; j < m; ++j) gathered[static_cast<size_t>(i) * m + j] = Y[static_cast<size_t>(i) * n + columns[j]];
  transpose(A, rows, m, lda, turned);
  kernel.multiply({S, lds, high, rows, m, {gathered, m, 1}, {turned, rows, nullptr}});
}

}  // namespace fuse
#endif
