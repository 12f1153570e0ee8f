// JPEG to 8-bit grey: the luma channel of the file, or the luma of four printing colours.
#include <setjmp.h>
#include <stdio.h>
#include <jpeglib.h>

#include "JPEG.h"

typedef struct {
  struct jpeg_error_mgr base;
  jmp_buf escape;
} Errors;

static void leave(j_common_ptr info) { longjmp(((Errors *)info->err)->escape, 1); }

/// A warning means wrong or missing data; libjpeg would continue with grey.
static void warn(j_common_ptr info, int level) {
  if (level < 0) leave(info);
}

static void keep_silent(j_common_ptr info) { (void)info; }

int is_jpeg(const uint8_t *bytes, size_t count) {
  return bytes && count >= 3 && bytes[0] == 0xFF && bytes[1] == 0xD8 && bytes[2] == 0xFF;
}

/// Whether the colours are cyan, magenta, yellow and black.
static int is_printed(const struct jpeg_decompress_struct *info) {
  return info->jpeg_color_space == JCS_CMYK || info->jpeg_color_space == JCS_YCCK;
}

/// Luma of a row of four printing colours: ITU-R BT.601 over red, green and blue as paper reflects them.
static void luma_of_print(const struct jpeg_decompress_struct *info, const uint8_t *ink, uint8_t *pixels) {
  for (uint32_t x = 0; x < info->output_width; ++x, ink += 4) {
    unsigned light[4];
    // With Adobe's marker the values are light, without it ink.
    for (int k = 0; k < 4; ++k) light[k] = info->saw_Adobe_marker ? ink[k] : 255u - ink[k];
    const unsigned luma = (77u * light[0] + 150u * light[1] + 29u * light[2]) >> 8;
    pixels[x] = (uint8_t)(luma * light[3] / 255u);
  }
}

/// Reads the header and, if `pixels` is given, an image of exactly this size.
static int read_jpeg(const uint8_t *bytes, size_t count, uint8_t *pixels, uint32_t *width, uint32_t *height) {
  Errors errors;
  struct jpeg_decompress_struct info;
  info.err = jpeg_std_error(&errors.base);
  errors.base.error_exit = leave;
  errors.base.emit_message = warn;
  errors.base.output_message = keep_silent;
  if (setjmp(errors.escape)) {
    jpeg_destroy_decompress(&info);
    return FUSE_IMAGE_DAMAGED;
  }
  jpeg_create_decompress(&info);
  // A progressive file may need all of its coefficients at once: six bytes per pixel and colour of the largest image.
  info.mem->max_memory_to_use = 512L << 20;
  jpeg_mem_src(&info, bytes, count);
  jpeg_read_header(&info, TRUE);
  int code = FUSE_IMAGE_OK;
  if (!pixels) {
    *width = info.image_width;
    *height = info.image_height;
    if ((uint64_t)*width * *height > FUSE_IMAGE_LARGEST) code = FUSE_IMAGE_TOO_LARGE;
  } else if (info.image_width != *width || info.image_height != *height) {
    code = FUSE_IMAGE_BAD_ARGUMENT;
  } else {
    const int printed = is_printed(&info);
    info.out_color_space = printed ? JCS_CMYK : JCS_GRAYSCALE;
    info.dct_method = JDCT_ISLOW;
    jpeg_start_decompress(&info);
    if (info.output_components != (printed ? 4 : 1)) leave((j_common_ptr)&info);
    // Freed with the decompressor.
    JSAMPROW ink = printed ? (*info.mem->alloc_large)((j_common_ptr)&info, JPOOL_IMAGE, (size_t)*width * 4) : NULL;
    while (info.output_scanline < info.output_height) {
      uint8_t *target = pixels + (size_t)info.output_scanline * *width;
      JSAMPROW row = printed ? ink : target;
      jpeg_read_scanlines(&info, &row, 1);
      if (printed) luma_of_print(&info, ink, target);
    }
    jpeg_finish_decompress(&info);
  }
  jpeg_destroy_decompress(&info);
  return code;
}

int jpeg_size(const uint8_t *bytes, size_t count, uint32_t *width, uint32_t *height) {
  return read_jpeg(bytes, count, NULL, width, height);
}

int jpeg_decode(const uint8_t *bytes, size_t count, uint8_t *pixels, uint32_t width, uint32_t height) {
  return read_jpeg(bytes, count, pixels, &width, &height);
}
