// Products with the covariance over the involved columns only.
#ifndef FUSE_LINEAR_ALGEBRA_SPARSE_HPP
#define FUSE_LINEAR_ALGEBRA_SPARSE_HPP
#include <algorithm>

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

/// From so many rows on, copying the factor for Eigen's product pays.
constexpr int32_t kManyRows = 8;

/// y += a x over `width` numbers, for four x at once.
inline void addFour(const double *a, const double *__restrict x0, const double *__restrict x1, const double *__restrict x2,
                    const double *__restrict x3, int32_t width, double *__restrict y) {
  const double a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3];
  for (int32_t k = 0; k < width; ++k) y[k] += a0 * x0[k] + a1 * x1[k] + a2 * x2[k] + a3 * x3[k];
}

/// Y = A P[columns] for A (rows x m, rows `lda` apart) and P (n x n): Y is rows x n. `scratch`: m n numbers.
inline void multiplyRows(const double *A, int32_t rows, int32_t m, int32_t lda, const int32_t *columns, const double *P,
                         int32_t n, int32_t ld, double *Y, double *scratch) {
  const auto row = [&](int32_t j) { return P + static_cast<size_t>(columns[j]) * ld; };
  if (rows >= kManyRows) {
    for (int32_t j = 0; j < m; ++j) std::copy_n(row(j), n, scratch + static_cast<size_t>(j) * n);
    Packed(Y, rows, n).noalias() = ConstStrided(A, rows, m, Eigen::OuterStride<>(lda)) * ConstPacked(scratch, m, n);
    return;
  }
  for (int32_t i = 0; i < rows; ++i) {
    const double *a = A + static_cast<size_t>(i) * lda;
    double *__restrict y = Y + static_cast<size_t>(i) * n;
    std::fill_n(y, n, 0.0);
    int32_t j = 0;
    for (; j + 3 < m; j += 4) addFour(a + j, row(j), row(j + 1), row(j + 2), row(j + 3), n, y);
    for (; j < m; ++j) {
      const double *__restrict x = row(j);
      const double factor = a[j];
      for (int32_t k = 0; k < n; ++k) y[k] += factor * x[k];
    }
  }
}

/// S = Y[:, columns] A^T for Y (high x n) and A (rows x m, rows `lda` apart): S is high x rows, its rows `lds` apart.
/// `scratch`: high m numbers.
inline void multiplyColumns(const double *Y, int32_t high, int32_t n, const int32_t *columns, const double *A, int32_t rows,
                            int32_t m, int32_t lda, double *S, int32_t lds, double *scratch) {
  for (int32_t i = 0; i < high; ++i) {
    const double *y = Y + static_cast<size_t>(i) * n;
    double *gathered = scratch + static_cast<size_t>(i) * m;
    for (int32_t j = 0; j < m; ++j) gathered[j] = y[columns[j]];
  }
  if (rows >= kManyRows) {
    Strided(S, high, rows, Eigen::OuterStride<>(lds)).noalias() =
        ConstPacked(scratch, high, m) * ConstStrided(A, rows, m, Eigen::OuterStride<>(lda)).transpose();
    return;
  }
  for (int32_t i = 0; i < high; ++i) {
    const double *y = scratch + static_cast<size_t>(i) * m;
    for (int32_t k = 0; k < rows; ++k) {
      const double *a = A + static_cast<size_t>(k) * lda;
      double sum = 0;
      for (int32_t j = 0; j < m; ++j) sum += y[j] * a[j];
      S[static_cast<size_t>(i) * lds + k] = sum;
    }
  }
}

}  // namespace fuse
#endif
