// 8-bit grey to PNG.
#include <string.h>
#include <zlib.h>

#include "CInterface.h"

typedef struct {
  uint8_t *bytes;
  size_t count, capacity;
} Sink;

static void put(png_structp png, png_bytep source, size_t count) {
  Sink *sink = png_get_io_ptr(png);
  if (count > sink->capacity - sink->count) png_error(png, "no room");
  memcpy(sink->bytes + sink->count, source, count);
  sink->count += count;
}

static void flush(png_structp png) { (void)png; }

static int encode(png_structp png, png_infop info, PNGErrorTrap *trap, const uint8_t *pixels, uint32_t width,
                  uint32_t height) {
  if (setjmp(trap->escape)) return trap->code;
  png_set_IHDR(png, info, width, height, 8, PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  // Sensor noise makes a search useless: differences to the left neighbour with run lengths are as small, and fast.
  png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_SUB);
  png_set_compression_strategy(png, Z_RLE);
  png_set_compression_level(png, 1);
  png_write_info(png, info);
  for (uint32_t y = 0; y < height; ++y) png_write_row(png, pixels + (size_t)y * width);
  png_write_end(png, NULL);
  return FUSE_IMAGE_OK;
}

size_t fuse_image_encoded_limit(uint32_t width, uint32_t height) {
  if (!is_allowed(width, height)) return 0;
  // One filter byte per row; zlib's stored blocks and the chunks around them add less than a 64th.
  const size_t raw = ((size_t)width + 1) * height;
  return raw + raw / 64 + 4096;
}

int fuse_image_encode(const uint8_t *pixels, uint32_t width, uint32_t height, uint8_t *bytes, size_t capacity,
                      size_t *count) {
  if (!pixels || !bytes || !count || !is_allowed(width, height)) return FUSE_IMAGE_BAD_ARGUMENT;
  if (capacity < fuse_image_encoded_limit(width, height)) return FUSE_IMAGE_BAD_ARGUMENT;
  PNGErrorTrap trap = {.code = FUSE_IMAGE_NO_MEMORY};  // the only possible error while writing
  Sink sink = {bytes, 0, capacity};
  int code = FUSE_IMAGE_NO_MEMORY;
  png_infop info = NULL;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &trap, fail, ignore);
  if (png) info = png_create_info_struct(png);
  if (info) {
    png_set_user_limits(png, FUSE_IMAGE_LARGEST, FUSE_IMAGE_LARGEST);
    png_set_write_fn(png, &sink, put, flush);
    code = encode(png, info, &trap, pixels, width, height);
  }
  png_destroy_write_struct(&png, &info);
  *count = sink.count;
  return code;
}
