/// Dense kernels of the estimator behind a plain C interface to Eigen.
///
/// Matrices are row-major and tightly packed unless a leading dimension is named. The covariance `P` is n x n inside a
/// buffer with rows `ld` doubles apart; it is symmetric and both triangles are kept. `columns` lists the indices into P
/// of a Jacobian's columns, so that only the involved ones are processed. Every function returns one of the codes
/// below, lets no exception out, and on any code but FUSE_LA_OK leaves P unchanged.
#ifndef FUSE_LINEAR_ALGEBRA_H
#define FUSE_LINEAR_ALGEBRA_H
#include <stdbool.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

enum {
  FUSE_LA_OK = 0,
  FUSE_LA_REJECTED = 1,      ///< the innovation failed the gate
  FUSE_LA_NOT_POSITIVE = 2,  ///< a matrix that must be positive definite is not
  FUSE_LA_NOT_FINITE = 3,    ///< NaN or infinity came in or would have come out
  FUSE_LA_BAD_ARGUMENT = 4,  ///< a size or an index is out of range
  FUSE_LA_NO_MEMORY = 5,
  FUSE_LA_FAILED = 6         ///< anything else
};

/// Work space, kept between calls: no allocation once the largest frame has been processed.
typedef struct fuse_la_workspace fuse_la_workspace;
/// With `usesBaseline` without AVX2 also where there is: the results are the same, to the bit. NULL when there is no memory.
fuse_la_workspace *fuse_la_workspace_create(bool usesBaseline);
void fuse_la_workspace_destroy(fuse_la_workspace *workspace);

/// A measurement in `count` parts, each over few columns: r = H x[columns] + v, v of unit variance unless a call says otherwise.
/// Part i has rows[i] rows and widths[i] columns. The parts lie one after the other in `columns` (sum of the widths), `H`
/// (each rows x width) and `r` (sum of the rows).
typedef struct {
  int32_t count;
  const int32_t *rows, *widths;
  const int32_t *columns;
  const double *H, *r;
} fuse_la_stack;

/// Propagation: P_II <- F P_II F^T + Q and P_IC <- F P_IC for the block I of `size` rows at `offset`, C being all other
/// rows. F and Q: size x size. O(size n).
int fuse_la_propagate(double *P, int32_t n, int32_t ld, int32_t offset, int32_t size, const double *F, const double *Q,
                      fuse_la_workspace *workspace);

/// Change of variables: x_I <- J x[columns] in place, for the block I of `size` rows at `offset`, which may itself be
/// among the columns. J: size x m. O(size m n).
int fuse_la_transform(double *P, int32_t n, int32_t ld, int32_t offset, int32_t size, const int32_t *columns, int32_t m,
                      const double *J, fuse_la_workspace *workspace);

/// Augmentation: appends x_new = J x[columns] + w, w ~ N(0, W) independent: `size` new rows and columns at n. The
/// buffer must have room (ld >= n + size, and as many rows). J: size x m; W: size x size or NULL for zero. O(size m n).
int fuse_la_augment(double *P, int32_t n, int32_t ld, int32_t size, const int32_t *columns, int32_t m, const double *J,
                    const double *W, fuse_la_workspace *workspace);

/// Normalised innovation squared (NIS) r^T (H P H^T + R)^-1 r of every part by itself; NaN where it is not defined. R:
/// rows x rows, for a single part, or NULL for the identity.
int fuse_la_innovations(const double *P, int32_t n, int32_t ld, const fuse_la_stack *stack, const double *R,
                        fuse_la_workspace *workspace, double *nis);

/// Kalman update with all parts of a stack. With S = H P H^T + R = L L^T and Y = L^-1 H P: P <- P - Y^T Y (symmetric by
/// construction), correction = Y^T L^-1 r (n numbers), nis = |L^-1 r|^2. Rejected if nis > gate; a gate of infinity
/// accepts everything. R: as above. O(rows n^2), in sequential blocks of rows, which is equivalent (their noise is
/// independent) and saves most of the work on S.
int fuse_la_update(double *P, int32_t n, int32_t ld, const fuse_la_stack *stack, const double *R, double gate,
                   fuse_la_workspace *workspace, double *correction, double *nis);

/// Null-space projection: projects rows onto the left null space of F (rows x f, rows > f, f <= 8) by Householder
/// reflections. Q^T is applied to H (rows x m) and r (rows) in place; their last rows - f rows are independent of the
/// variables of F. F's upper triangle is then R, the rest of it is overwritten.
int fuse_la_project(double *F, int32_t rows, int32_t f, double *H, int32_t m, double *r);

/// QR compression: an equivalent measurement of unit noise in at most as many rows as the stack has different columns,
/// without negligible rows. The stack must have more rows than that.
///
/// n: upper bound of the columns. Out: `m` different columns in `columns` (ascending, room for min(n, sum of the
/// widths)), H (rows x m) and r; room for m rows. FUSE_LA_REJECTED if the stack has not more rows than columns; then
/// only `m` is set.
int fuse_la_compress(const fuse_la_stack *stack, int32_t n, fuse_la_workspace *workspace, int32_t *columns, double *H,
                     double *r, int32_t *rows, int32_t *m);

/// B <- A^-1 B for a symmetric positive definite A (n x n) and m right-hand sides (B: n x m). Only A's upper triangle is
/// read.
int fuse_la_solve(const double *A, int32_t n, double *B, int32_t m);

#ifdef __cplusplus
}
#endif
#endif
