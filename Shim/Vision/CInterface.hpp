// Shared by all functions: the image behind the handle, and the exception barrier.
#ifndef FUSE_VISION_C_INTERFACE_HPP
#define FUSE_VISION_C_INTERFACE_HPP
#include <new>
#include <opencv2/core.hpp>
#include <vector>

#include "CVision.h"

struct fuse_vision_image {
  /// Per level the image, then its gradients (Scharr, 32 times the slope, 16 bit; along columns, along rows).
  std::vector<cv::Mat> levels;
  int width, height, window;

  int last() const { return static_cast<int>(levels.size()) / 2 - 1; }
};

namespace fuse {

/// Runs `body`, which returns a status code, on this thread alone, and turns every exception into a code.
template <typename Body>
int guarded(Body body) noexcept {
  try {
    // One thread: the same order of summation everywhere. Set once per process.
    static const bool isAlone = (cv::setNumThreads(0), true);
    (void)isAlone;
    return body();
  } catch (const std::bad_alloc &) {
    return FUSE_VISION_NO_MEMORY;
  } catch (...) {
    return FUSE_VISION_FAILED;
  }
}

inline bool isSize(int32_t width, int32_t height) {
  return width >= 16 && height >= 16 && width <= 16384 && height <= 16384;
}

/// A view of bytes that OpenCV will not write to.
inline cv::Mat view(const uint8_t *pixels, int32_t width, int32_t height) {
  return cv::Mat(height, width, CV_8UC1, const_cast<uint8_t *>(pixels));
}

/// A view of positions.
inline cv::Mat points(const float *positions, int32_t count) {
  return cv::Mat(count, 1, CV_32FC2, const_cast<float *>(positions));
}

}  // namespace fuse
#endif
