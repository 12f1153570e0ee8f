// PNG and JPEG to 8-bit grey.
#include <stdlib.h>
#include <string.h>

#include "CInterface.h"
#include "JPEG.h"

typedef struct {
  const uint8_t *bytes;
  size_t left;
} Source;

static void read_bytes(png_structp png, png_bytep target, size_t count) {
  Source *source = png_get_io_ptr(png);
  if (count > source->left) png_error(png, "truncated");
  memcpy(target, source->bytes, count);
  source->bytes += count;
  source->left -= count;
}

static uint32_t big_endian(const uint8_t *bytes) {
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

int fuse_image_size(const uint8_t *bytes, size_t count, uint32_t *width, uint32_t *height) {
  if (is_jpeg(bytes, count)) return jpeg_size(bytes, count, width, height);
  if (!bytes || count < 8 || png_sig_cmp(bytes, 0, 8) != 0) return FUSE_IMAGE_UNKNOWN;
  // Signature, then the header chunk: length, name, width, height.
  if (count < 33 || big_endian(bytes + 8) != 13 || memcmp(bytes + 12, "IHDR", 4) != 0) return FUSE_IMAGE_DAMAGED;
  *width = big_endian(bytes + 16);
  *height = big_endian(bytes + 20);
  if (*width == 0 || *height == 0) return FUSE_IMAGE_DAMAGED;
  return is_allowed(*width, *height) ? FUSE_IMAGE_OK : FUSE_IMAGE_TOO_LARGE;
}

/// Reads all rows: 8-bit grey directly into `pixels`, anything else through `wide`, which the caller frees.
static int decode(png_structp png, png_infop info, PNGErrorTrap *trap, uint8_t *pixels, uint32_t width, uint32_t height,
                  uint32_t bits, uint8_t **wide, png_bytep *rows) {
  if (setjmp(trap->escape)) return trap->code;
  png_read_info(png, info);
  // From here on too much or too little data is an error; invalid colour profiles before were not.
  png_set_benign_errors(png, 0);
  png_set_expand(png);
  const int is_partly_used = png_get_bit_depth(png, info) == 16 && bits < 16;
  if (!is_partly_used) png_set_strip_16(png);
  png_set_strip_alpha(png);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  const size_t channels = png_get_channels(png, info);
  const size_t size = is_partly_used ? 2 : 1;
  if (png_get_bit_depth(png, info) != 8 * size || (channels != 1 && channels != 3)) return FUSE_IMAGE_DAMAGED;
  uint8_t *target = pixels;
  if (channels * size > 1) {
    target = *wide = malloc((size_t)width * height * channels * size);
    if (!target) return FUSE_IMAGE_NO_MEMORY;
  }
  for (uint32_t y = 0; y < height; ++y) rows[y] = target + (size_t)y * width * channels * size;
  png_read_image(png, rows);
  png_set_benign_errors(png, 1);
  png_read_end(png, NULL);
  if (is_partly_used) {
    const size_t count = (size_t)width * height * channels;
    uint8_t *narrow = channels == 1 ? pixels : target;  // in place: a sample's byte lies before what is yet to be read
    for (size_t i = 0; i < count; ++i) {
      const uint32_t value = ((uint32_t)target[2 * i] << 8 | target[2 * i + 1]) >> (bits - 8);
      narrow[i] = value > 255 ? 255 : (uint8_t)value;
    }
  }
  if (channels == 3) {
    const size_t count = (size_t)width * height;
    for (size_t i = 0; i < count; ++i)
      pixels[i] = (uint8_t)((77u * target[3 * i] + 150u * target[3 * i + 1] + 29u * target[3 * i + 2]) >> 8);
  }
  return FUSE_IMAGE_OK;
}

int fuse_image_decode(const uint8_t *bytes, size_t count, uint8_t *pixels, uint32_t width, uint32_t height,
                      uint32_t bits) {
  uint32_t found_width, found_height;
  const int header = fuse_image_size(bytes, count, &found_width, &found_height);
  if (header != FUSE_IMAGE_OK) return header;
  if (!pixels || found_width != width || found_height != height || bits < 9 || bits > 16)
    return FUSE_IMAGE_BAD_ARGUMENT;
  if (is_jpeg(bytes, count)) return jpeg_decode(bytes, count, pixels, width, height);
  PNGErrorTrap trap = {.code = FUSE_IMAGE_DAMAGED};
  Source source = {bytes, count};
  int code = FUSE_IMAGE_NO_MEMORY;
  uint8_t *wide = NULL;
  png_infop info = NULL;
  png_bytep *rows = malloc(height * sizeof *rows);
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &trap, fail, ignore);
  if (png) info = png_create_info_struct(png);
  if (rows && info) {
    png_set_user_limits(png, FUSE_IMAGE_LARGEST, FUSE_IMAGE_LARGEST);  // the product is checked above
    png_set_read_fn(png, &source, read_bytes);
    code = decode(png, info, &trap, pixels, width, height, bits, &wide, rows);
  }
  png_destroy_read_struct(&png, &info, NULL);
  free(rows);
  free(wide);
  return code;
}
