// Dense products and reflections, compiled once for each kind of processor.
#ifndef FUSE_LINEAR_ALGEBRA_KERNEL_HPP
#define FUSE_LINEAR_ALGEBRA_KERNEL_HPP
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

// Vectors are passed to inlined functions only.
#pragma clang diagnostic ignored "-Wpsabi"
// No fused multiply-add: identical rounding on every processor.
#pragma STDC FP_CONTRACT OFF

namespace fuse {

/// C (rows x columns, rows `stride` apart) and the factors A (rows x inner) and B (inner x columns).
struct Product {
  /// A factor whose elements lie `row` and `column` apart: either order.
  struct Left {
    const double *numbers;
    ptrdiff_t row, column;
  };
  /// A factor with rows `stride` apart, some of which are chosen by `rows` unless that is null.
  struct Right {
    const double *numbers;
    ptrdiff_t stride;
    const int32_t *rows;
    const double *row(int32_t k) const { return numbers + (rows ? rows[k] : k) * stride; }
  };

  double *C;
  ptrdiff_t stride;
  int32_t rows, columns, inner;
  Left A;
  Right B;
};

/// Number of reflections applied together, and of columns at a time.
constexpr int32_t kPanel = 4;

/// What takes the estimator's time.
struct Kernel {
  /// C = A B.
  void (*multiply)(const Product &);
  /// P -= Y^T Y on the lower triangle of P (n x n, rows `ld` apart), which may change the upper one; Y: k x n.
  void (*subtractSquare)(const double *Y, int32_t k, int32_t n, double *P, int32_t ld);
  /// Y = L^-1 Y for the lower triangle L (k x k) and Y (k x n).
  void (*solveLower)(const double *L, int32_t k, double *Y, int32_t n);
  /// Reflects the first m columns of A (rows x (m + 1), rows `ld` apart, with room for kPanel more) to an upper
  /// triangle; v: rows x kPanel numbers.
  void (*triangularise)(double *A, int32_t rows, int32_t m, int32_t ld, double *v);
};

/// For the baseline of the target architecture, and for AVX2 on x86-64. The bits of their results are the same.
extern const Kernel baselineKernel;
extern const Kernel avx2Kernel;

/// The fastest for this processor.
inline const Kernel &fastestKernel() {
#ifdef __x86_64__
  static const bool hasAVX2 = __builtin_cpu_supports("avx2");
  if (hasAVX2) return avx2Kernel;
#endif
  return baselineKernel;
}

}  // namespace fuse
#endif
