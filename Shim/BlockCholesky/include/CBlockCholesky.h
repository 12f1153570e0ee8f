/// Block-sparse least squares in an envelope, behind a plain C interface to Eigen.
///
/// Unknown block i (of sizes[i] numbers) is coupled to blocks first[i]...i and to no earlier one; a last block that is
/// coupled to all (first 0) makes an arrow matrix. Fill stays within the envelope, so that time is O(sum width^2) and
/// memory O(sum width), width being the span of a block's row. Dense matrices are row-major. Every function returns one
/// of the codes below and lets no exception out.
#ifndef FUSE_BLOCK_CHOLESKY_H
#define FUSE_BLOCK_CHOLESKY_H
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

enum {
  FUSE_BC_OK = 0,
  FUSE_BC_NOT_POSITIVE = 1,  ///< the matrix is not positive definite
  FUSE_BC_NOT_FINITE = 2,    ///< NaN or infinity came in or would have come out
  FUSE_BC_BAD_ARGUMENT = 3,  ///< a size or an index is out of range
  FUSE_BC_NO_MEMORY = 4,
  FUSE_BC_FAILED = 5         ///< anything else
};

/// The normal equations H x = -g, their factor and their inverse.
typedef struct fuse_bc_system fuse_bc_system;

/// A system of zeros with `count` blocks. first[i] <= i.
int fuse_bc_create(int32_t count, const int32_t *sizes, const int32_t *first, fuse_bc_system **result);
void fuse_bc_destroy(fuse_bc_system *system);

/// Sets everything to zero.
int fuse_bc_reset(fuse_bc_system *system);

/// Adds the rows r + J x: H += (W J)^T W J, g += (W J)^T W r. J: rows x the sizes of the `count` blocks in the order given;
/// W: rows x rows, or NULL for the identity; r: rows.
int fuse_bc_add(fuse_bc_system *system, const int32_t *blocks, int32_t count, int32_t rows, const double *W,
                const double *J, const double *r);

/// Adds the reprojection rows of one point with `observations` observations, two rows each: r_i + A_i x_i + B_i y + C_i
/// f. x_i: the first six numbers of block blocks[i]; y: the block `shared`; f: the point's three numbers, block
/// `point`. With `point` -1, f is marginalised (Schur complement), and the blocks must be coupled to each other.
///
/// blocks: ascending, all before `point`, and that before `shared`; A: 2 observations x 6; B: 2 observations x size of
/// y; C: 2 observations x 3; r: 2 observations. own_row: slope and residual of one more row that depends on f's last
/// number only, or NULL. A direction of f without information is left unchanged.
int fuse_bc_add_point(fuse_bc_system *system, const int32_t *blocks, int32_t observations, int32_t point,
                      int32_t shared,
                      const double *A, const double *B, const double *C, const double *r, const double *own_row);

/// Solves (H + damping diag H) x = -g, x: all blocks' numbers. H is overwritten by its factor.
int fuse_bc_solve(fuse_bc_system *system, double damping, double *x);

/// After fuse_bc_solve: the blocks of the inverse within the envelope. Source: Takahashi, Fagan, Chen, "Formation of a
/// sparse bus impedance matrix", PICA 1973; Erisman and Tinney, CACM 18(3), 1975, doi:10.1145/360680.360704.
int fuse_bc_invert(fuse_bc_system *system);

/// After fuse_bc_invert: block (row, column) of the inverse, sizes[row] x sizes[column].
int fuse_bc_inverse_block(const fuse_bc_system *system, int32_t row, int32_t column, double *result);

#ifdef __cplusplus
}
#endif
#endif
