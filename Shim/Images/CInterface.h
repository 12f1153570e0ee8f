// Shared by reading and writing: error handling of libpng.
#ifndef FUSE_IMAGES_C_INTERFACE_H
#define FUSE_IMAGES_C_INTERFACE_H
#include <png.h>

#include "CImages.h"

/// libpng leaves a function by longjmp: the return code is stored here, in the caller's frame.
typedef struct {
  jmp_buf escape;
  int code;
} PNGErrorTrap;

static void fail(png_structp png, png_const_charp message) {
  (void)message;
  PNGErrorTrap *trap = png_get_error_ptr(png);
  longjmp(trap->escape, trap->code);
}

static void ignore(png_structp png, png_const_charp message) {
  (void)png;
  (void)message;
}

static inline int is_allowed(uint32_t width, uint32_t height) {
  return width > 0 && height > 0 && (uint64_t)width * height <= FUSE_IMAGE_LARGEST;
}
#endif
