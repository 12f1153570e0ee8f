/// PNG and JPEG images in memory behind a plain C interface; libpng and libjpeg stay on the other side of it.
///
/// Pixels are 8-bit grey, row after row from the top, `width * height` bytes without gaps. Every function returns one of
/// the codes below; on any code but FUSE_IMAGE_OK what it wrote means nothing.
#ifndef FUSE_IMAGES_H
#define FUSE_IMAGES_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

enum {
  FUSE_IMAGE_OK = 0,
  FUSE_IMAGE_UNKNOWN = 1,       ///< the bytes do not begin as a PNG or a JPEG does
  FUSE_IMAGE_DAMAGED = 2,       ///< truncated, a wrong checksum, or more or less data than the header says
  FUSE_IMAGE_TOO_LARGE = 3,     ///< more than FUSE_IMAGE_LARGEST pixels
  FUSE_IMAGE_BAD_ARGUMENT = 4,  ///< an empty image, or sizes that do not fit together
  FUSE_IMAGE_NO_MEMORY = 5
};

/// Most pixels that an image may have, 64 MPixel: a header of a few bytes must not claim gigabytes.
#define FUSE_IMAGE_LARGEST (64u << 20)

/// Width and height that the header names, checked against FUSE_IMAGE_LARGEST; the pixels are not looked at.
int fuse_image_size(const uint8_t *bytes, size_t count, uint32_t *width, uint32_t *height);

/// Decodes a PNG or JPEG of exactly this size. Depths below 8 are spread to 0...255, 16 bits lose their lower 8, an alpha channel is
/// dropped, colour and palette become luma (77 R + 150 G + 29 B) / 256, the weights of ITU-R BT.601. Of a
/// JPEG its luma is taken.
int fuse_image_decode(const uint8_t *bytes, size_t count, uint8_t *pixels, uint32_t width, uint32_t height);

/// Bytes that the PNG of an image of this size has at most; 0 for a size that is not allowed.
size_t fuse_image_encoded_limit(uint32_t width, uint32_t height);

/// Encodes as a PNG into `bytes`, which has room for `capacity`; `count` becomes the length. Filter and compression are fixed: the
/// same pixels make the same bytes.
int fuse_image_encode(const uint8_t *pixels, uint32_t width, uint32_t height, uint8_t *bytes, size_t capacity,
                      size_t *count);

#ifdef __cplusplus
}
#endif
#endif
