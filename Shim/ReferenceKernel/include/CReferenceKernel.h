/// The linear algebra of a frame as in published filters, in plain Eigen: the reference of tools/benchmark.
///
/// Never change it: benchmark figures of different versions and machines are given in units of its time. It is
/// therefore separate from the estimator, whose own kernels become faster. Matrices are row-major and tightly packed.
/// Every function returns 0, or 1 if a number is not finite or a matrix is not positive definite.
#ifndef FUSE_REFERENCE_KERNEL_H
#define FUSE_REFERENCE_KERNEL_H
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

/// Kalman update of P (n x n) with z = H x[columns] + v, v of unit variance: H is rows x m, `correction` n numbers.
int fuse_reference_update(double *P, int32_t n, const int32_t *columns, int32_t m, const double *H, int32_t rows,
                          const double *r, double *correction);

/// Applies Q^T of F (rows x 3) to H (rows x m) and r; the rows after the first three are independent of the point.
int fuse_reference_project(double *F, int32_t rows, double *H, int32_t m, double *r);

/// QR compression of H (rows x m, rows > m) and r into their first m rows.
int fuse_reference_compress(double *H, int32_t rows, int32_t m, double *r);

#ifdef __cplusplus
}
#endif
#endif
