/// Pyramids, corners and optical flow behind a plain C interface to OpenCV.
///
/// Pixels are 8-bit grey, row after row from the top, `width * height` bytes without gaps. Positions are pairs (column,
/// row), with the centre of the first pixel at (0, 0). Every function returns one of the codes below, lets no exception
/// out, and works on the calling thread alone. On any code but FUSE_VISION_OK the output is undefined.
#ifndef FUSE_VISION_H
#define FUSE_VISION_H
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

enum {
  FUSE_VISION_OK = 0,
  FUSE_VISION_BAD_ARGUMENT = 1,  ///< a size or a number is out of range
  FUSE_VISION_NO_MEMORY = 2,
  FUSE_VISION_FAILED = 3  ///< anything else
};

/// An image pyramid, each level half the size of the previous one, with gradients.
typedef struct fuse_vision_image fuse_vision_image;

/// Makes the pyramid of an image for windows of `window` pixels (odd, 5...31) and `levels` levels beyond the image
/// itself (0...5; fewer where the image is small). `contrast` above 0: the image is equalised first, tile by tile, with
/// that limit (CLAHE, Zuiderveld 1994). Free it with `fuse_vision_image_free`. About 6 bytes per pixel. width and
/// height: 16...16384.
int fuse_vision_image_make(const uint8_t *pixels, int32_t width, int32_t height, int32_t window, int32_t levels,
                           double contrast, fuse_vision_image **image);

/// Frees an image; NULL is allowed.
void fuse_vision_image_free(fuse_vision_image *image);

/// Tracks `count` positions from one image to another of the same size, window and levels: pyramidal Lucas-Kanade
/// (Bouguet 2000) over the levels 0...`levels`, at most `iterations` steps per level, until a step is shorter than
/// `precision` pixels. `found` holds initial guesses and becomes the positions; `status` becomes 1 where one was found,
/// else 0. Arrays: 2 count, 2 count, count.
int fuse_vision_track(const fuse_vision_image *from, const fuse_vision_image *to, int32_t levels, int32_t iterations,
                       double precision, const float *positions, float *found, uint8_t *status, int32_t count);

/// The strongest corners (Shi and Tomasi 1994, doi:10.1109/CVPR.1994.323794) whose centres lie in columns `left` ..<
/// `right` and rows `top` ..< `bottom`. They are local maxima of the smaller eigenvalue of the 5x5 mean gradient
/// matrix, (grey levels/pixel)^2, of at least `minStrength`; strongest first, ties by row, then column. At most
/// `capacity` of them; `count` becomes their number. `positions`: 2 capacity; `strengths`: capacity. Points nearer than
/// 3 pixels to the border are excluded.
int fuse_vision_corners(const fuse_vision_image *image, int32_t left, int32_t top, int32_t right, int32_t bottom,
                        float minStrength, int32_t capacity, float *positions, float *strengths, int32_t *count);

/// Half the side of a patch, pixels: it has 15x15.
#define FUSE_VISION_PATCH_HALF 7
/// Floats per patch.
#define FUSE_VISION_PATCH_SIZE 720

/// Stores the patches around `count` positions of an image: patch i goes to `patches + FUSE_VISION_PATCH_SIZE *
/// slots[i]`. `status` becomes 1, or 0 if the patch is not wholly inside the image or its normal matrix is singular.
int fuse_vision_patches_make(const fuse_vision_image *image, const float *positions, const int32_t *slots,
                             float *patches,
                             uint8_t *status, int32_t count);

/// Aligns patches with an image under an affine warp and a change of brightness and contrast. Weighted least squares in
/// the six parameters of the warp, the middle weighted most (Shi and Tomasi 1994), inverse compositional (Baker and
/// Matthews 2004, doi:10.1023/B:VISI.0000011205.11775.fd). `warps`: six numbers each (a, b, c, d, u, v), the position
/// (a x + b y + u, c x + d y + v) of patch coordinates x, y in -1 ... 1; an initial guess that becomes the warp.
/// `correlations` become those between patch and image, or -1 where none was found. At most `iterations` steps, until
/// one moves neither the middle nor the edges by more than `precision` pixels.
int fuse_vision_patches_align(const fuse_vision_image *image, const float *patches, const int32_t *slots, float *warps,
                              float *correlations, int32_t count, int32_t iterations, float precision);

/// Reference of the benchmarks, OpenCV's own functions with their defaults: tracks `count` positions (window 21, 3
/// levels) from one image to another. Arrays as in `fuse_vision_track`; `found` need not be set.
int fuse_vision_reference_track(const uint8_t *from, const uint8_t *to, int32_t width, int32_t height,
                                const float *positions,
                             float *found, uint8_t *status, int32_t count);

/// Reference corners: goodFeaturesToTrack of quality 0.01 with a distance of `distance` pixels to each other and to the
/// `taken` positions. At most `capacity`; `count` becomes their number. `positions`: 2 capacity.
int fuse_vision_reference_corners(const uint8_t *pixels, int32_t width, int32_t height, const float *taken, int32_t taken_count,
                              double distance, int32_t capacity, float *positions, int32_t *count);

#ifdef __cplusplus
}
#endif
#endif
