/// Dense kernels of the estimator behind a plain C interface; Eigen stays on the other side of it.
///
/// Matrices are row-major and tightly packed unless a leading dimension is named. The covariance `P` is n x n inside a
/// buffer whose rows are `ld` doubles apart; it is symmetric and both triangles are kept. `columns` lists the m indices
/// into P that a Jacobian's m columns belong to, so that only what is involved is touched. Every function returns one of
/// the codes below, lets no exception out, and on any code but FUSE_LA_OK leaves P as it was.
#ifndef FUSE_LINEAR_ALGEBRA_H
#define FUSE_LINEAR_ALGEBRA_H
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

/// P_II <- F P_II F^T + Q and P_IC <- F P_IC for the block I of `size` rows at `offset`, C being all the rest.
/// F and Q: size x size. O(size n).
int fuse_la_propagate(double *P, int32_t n, int32_t ld, int32_t offset, int32_t size, const double *F, const double *Q);

/// x_I <- J x[columns] in place, for the block I of `size` rows at `offset`, which may itself be among the columns.
/// J: size x m. O(size m n).
int fuse_la_transform(double *P, int32_t n, int32_t ld, int32_t offset, int32_t size, const int32_t *columns, int32_t m,
                      const double *J);

/// Appends x_new = J x[columns] + w, w ~ N(0, W) independent: `size` new rows and columns at n. The buffer must have room
/// (ld >= n + size, and as many rows). J: size x m; W: size x size or NULL for zero. O(size m n).
int fuse_la_augment(double *P, int32_t n, int32_t ld, int32_t size, const int32_t *columns, int32_t m, const double *J,
                    const double *W);

/// Normalised innovation squared r^T (H P H^T + R)^-1 r. H: rows x m; r: rows; R: rows x rows, or NULL for the identity.
int fuse_la_innovation(const double *P, int32_t n, int32_t ld, const int32_t *columns, int32_t m, const double *H,
                       int32_t rows, const double *r, const double *R, double *nis);

/// Kalman update with z = H x[columns] + v, v ~ N(0, R). With S = H P H^T + R = L L^T and Y = L^-1 H P:
/// P <- P - Y^T Y (symmetric by construction), correction = Y^T L^-1 r (n numbers). Rejected when nis > gate; a gate of
/// infinity lets everything through. H: rows x m; R: rows x rows or NULL for the identity. O(rows n^2).
int fuse_la_update(double *P, int32_t n, int32_t ld, const int32_t *columns, int32_t m, const double *H, int32_t rows,
                   const double *r, const double *R, double gate, double *correction, double *nis);

/// Projects rows onto the left null space of F (rows x f, rows > f) by Householder reflections: Q^T is applied to
/// H (rows x m) and r (rows) in place; their last rows - f rows no longer depend on what F multiplies. F is overwritten.
int fuse_la_project(double *F, int32_t rows, int32_t f, double *H, int32_t m, double *r);

/// QR compression: the first min(rows, m) rows of H (rows x m) and r become an equivalent measurement of unit noise.
int fuse_la_compress(double *H, int32_t rows, int32_t m, double *r);

/// B <- A^-1 B for a symmetric positive definite A (n x n) and m right-hand sides (B: n x m). Only A's upper triangle is
/// read.
int fuse_la_solve(const double *A, int32_t n, double *B, int32_t m);

#ifdef __cplusplus
}
#endif
#endif
