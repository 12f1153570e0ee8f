// JPEG; the same contract as in CImages.h.
#ifndef FUSE_IMAGES_JPEG_H
#define FUSE_IMAGES_JPEG_H
#include "CImages.h"

/// Whether the bytes start like a JPEG.
int is_jpeg(const uint8_t *bytes, size_t count);
int jpeg_size(const uint8_t *bytes, size_t count, uint32_t *width, uint32_t *height);
int jpeg_decode(const uint8_t *bytes, size_t count, uint8_t *pixels, uint32_t width, uint32_t height);
#endif
