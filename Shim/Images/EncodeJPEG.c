// 8-bit grey to JPEG.
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <jpeglib.h>

#include "CImages.h"

typedef struct {
  struct jpeg_error_mgr base;
  jmp_buf escape;
} Errors;

/// libjpeg leaves by longjmp: what has to be freed is kept in the caller's frame.
typedef struct {
  unsigned char *bytes;
  unsigned long count;
} Sink;

static void leave(j_common_ptr info) { longjmp(((Errors *)info->err)->escape, 1); }
static void keep_silent(j_common_ptr info) { (void)info; }

static int encode(struct jpeg_compress_struct *info, Sink *sink, const uint8_t *pixels, uint32_t width, uint32_t height,
                  int quality) {
  Errors errors;
  info->err = jpeg_std_error(&errors.base);
  errors.base.error_exit = leave;
  errors.base.output_message = keep_silent;
  if (setjmp(errors.escape)) return FUSE_IMAGE_NO_MEMORY;  // the only possible error while writing
  jpeg_create_compress(info);
  jpeg_mem_dest(info, &sink->bytes, &sink->count);
  info->image_width = width;
  info->image_height = height;
  info->input_components = 1;
  info->in_color_space = JCS_GRAYSCALE;
  jpeg_set_defaults(info);
  jpeg_set_quality(info, quality, TRUE);
  info->dct_method = JDCT_ISLOW;
  info->optimize_coding = TRUE;
  jpeg_start_compress(info, TRUE);
  while (info->next_scanline < height) {
    JSAMPROW row = (JSAMPROW)(pixels + (size_t)info->next_scanline * width);
    jpeg_write_scanlines(info, &row, 1);
  }
  jpeg_finish_compress(info);
  return FUSE_IMAGE_OK;
}

int fuse_image_encode_jpeg(const uint8_t *pixels, uint32_t width, uint32_t height, int quality, uint8_t **bytes,
                           size_t *count) {
  const int is_allowed = width > 0 && height > 0 && width <= JPEG_MAX_DIMENSION && height <= JPEG_MAX_DIMENSION;
  if (!pixels || !bytes || !count || !is_allowed || quality < 1 || quality > 100) return FUSE_IMAGE_BAD_ARGUMENT;
  if ((uint64_t)width * height > FUSE_IMAGE_LARGEST) return FUSE_IMAGE_BAD_ARGUMENT;
  struct jpeg_compress_struct info = {0};
  Sink sink = {NULL, 0};
  const int code = encode(&info, &sink, pixels, width, height, quality);
  jpeg_destroy_compress(&info);
  if (code != FUSE_IMAGE_OK) {
    free(sink.bytes);
    return code;
  }
  *bytes = sink.bytes;
  *count = sink.count;
  return code;
}

void fuse_image_free(uint8_t *bytes) { free(bytes); }
