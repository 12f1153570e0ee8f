/// PNG and JPEG images in memory behind a plain C interface to libpng and libjpeg.
///
/// Pixels are 8-bit grey, row after row from the top, `width * height` bytes without gaps. Every function returns one
/// of the codes below; on any code but FUSE_IMAGE_OK the output is undefined.
#ifndef FUSE_IMAGES_H
#define FUSE_IMAGES_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

enum {
  FUSE_IMAGE_OK = 0,
  FUSE_IMAGE_UNKNOWN = 1,       ///< the bytes do not start like a PNG or a JPEG
  FUSE_IMAGE_DAMAGED = 2,       ///< truncated, a wrong checksum, or more or less data than the header says
  FUSE_IMAGE_TOO_LARGE = 3,     ///< more than FUSE_IMAGE_LARGEST pixels
  FUSE_IMAGE_BAD_ARGUMENT = 4,  ///< an empty image, or sizes that do not fit together
  FUSE_IMAGE_NO_MEMORY = 5
};

/// Most pixels of an image, 16 MPixel: bounds the memory that a header of a few bytes can request.
#define FUSE_IMAGE_LARGEST (16u << 20)

/// Width and height from the header, checked against FUSE_IMAGE_LARGEST; the pixels are not decoded.
int fuse_image_size(const uint8_t *bytes, size_t count, uint32_t *width, uint32_t *height);

/// Decodes a PNG or JPEG of exactly this size. Depths below 8 are expanded to 0...255; of samples of 16 bits that hold
/// `bits` (9...16), 0 black ... 2^bits - 1 white, the upper 8 are kept, and larger ones are white; an alpha channel is
/// dropped, colour and palette become luma (77 R + 150 G + 29 B) / 256, the weights of ITU-R BT.601.
/// Of a JPEG the luma channel is used, of one in printing colours (CMYK) the luma of these.
int fuse_image_decode(const uint8_t *bytes, size_t count, uint8_t *pixels, uint32_t width, uint32_t height,
                      uint32_t bits);

/// Upper bound of the size of a PNG of this image, bytes; 0 for a size that is not allowed.
size_t fuse_image_encoded_limit(uint32_t width, uint32_t height);

/// Encodes as a PNG into `bytes` of size `capacity`; `count` becomes the length. Filter and compression are fixed:
/// equal pixels give equal bytes.
int fuse_image_encode(const uint8_t *pixels, uint32_t width, uint32_t height, uint8_t *bytes, size_t capacity,
                      size_t *count);

/// Encodes as a grey JPEG of `quality` 1...100 into memory that `fuse_image_free` frees; `count` becomes its length.
int fuse_image_encode_jpeg(const uint8_t *pixels, uint32_t width, uint32_t height, int quality, uint8_t **bytes,
                           size_t *count);

/// Frees what `fuse_image_encode_jpeg` gave.
void fuse_image_free(uint8_t *bytes);

#ifdef __cplusplus
}
#endif
#endif
