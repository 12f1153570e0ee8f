// Image pyramids, and optical flow between them.
#include <cmath>
#include <memory>
#include <opencv2/imgproc.hpp>
#include <opencv2/video/tracking.hpp>

#include "CInterface.hpp"

int fuse_vision_image_make(const uint8_t *pixels, int32_t width, int32_t height, int32_t window, int32_t levels,
                           double contrast, fuse_vision_image **image) {
  return fuse::guarded([&] {
    if (!pixels || !image || !fuse::isSize(width, height) || window < 5 || window > 31 || window % 2 == 0 || levels < 0 ||
        levels > 5 || !(contrast >= 0 && contrast <= 100))
      return FUSE_VISION_BAD_ARGUMENT;
    auto made = std::make_unique<fuse_vision_image>();
    made->width = width;
    made->height = height;
    made->window = window;
    cv::Mat source = fuse::view(pixels, width, height), equalised;
    if (contrast > 0) {
      cv::createCLAHE(contrast, cv::Size(8, 8))->apply(source, equalised);
      source = equalised;
    }
    // The border reflects the image's edge, as in OpenCV's own pyramids; the pixels are copied.
    cv::buildOpticalFlowPyramid(source, made->levels, cv::Size(window, window), levels, true, cv::BORDER_REFLECT_101,
                                cv::BORDER_CONSTANT, false);
    *image = made.release();
    return FUSE_VISION_OK;
  });
}

void fuse_vision_image_free(fuse_vision_image *image) { delete image; }

int fuse_vision_track(const fuse_vision_image *from, const fuse_vision_image *to, int32_t levels, int32_t iterations,
                       double precision, const float *positions, float *found, uint8_t *status, int32_t count) {
  return fuse::guarded([&] {
    if (!from || !to || from->width != to->width || from->height != to->height || from->window != to->window ||
        from->last() != to->last() || levels < 0 || iterations < 1 || iterations > 100 || !(precision > 0) || count < 0 ||
        (count > 0 && (!positions || !found || !status)))
      return FUSE_VISION_BAD_ARGUMENT;
    if (count == 0) return FUSE_VISION_OK;
    // OpenCV converts positions to integers: positions far outside are clamped, or they would overflow.
    std::vector<float> starts(positions, positions + 2 * count);
    const float limit = 4 * 16384;
    for (int32_t i = 0; i < 2 * count; ++i) {
      if (!(std::fabs(starts[i]) < limit)) starts[i] = -limit;
      if (!(std::fabs(found[i]) < limit)) found[i] = -limit;
    }
    cv::Mat next = fuse::points(found, count), flags(count, 1, CV_8UC1, status);
    cv::calcOpticalFlowPyrLK(
        from->levels, to->levels, fuse::points(starts.data(), count), next, flags, cv::noArray(),
        cv::Size(from->window, from->window), std::min(levels, from->last()),
        cv::TermCriteria(cv::TermCriteria::COUNT | cv::TermCriteria::EPS, iterations, precision),
        cv::OPTFLOW_USE_INITIAL_FLOW);
    if (next.ptr<float>() != found || flags.ptr<uint8_t>() != status) return FUSE_VISION_FAILED;
    for (int32_t i = 0; i < count; ++i)
      if (!std::isfinite(found[2 * i]) || !std::isfinite(found[2 * i + 1])) status[i] = 0;
    return FUSE_VISION_OK;
  });
}
