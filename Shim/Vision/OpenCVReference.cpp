// Reference of the benchmarks: OpenCV's functions unchanged.
#include <opencv2/imgproc.hpp>
#include <opencv2/video/tracking.hpp>

#include "CInterface.hpp"

int fuse_vision_reference_track(const uint8_t *from, const uint8_t *to, int32_t width, int32_t height,
                                const float *positions,
                             float *found, uint8_t *status, int32_t count) {
  return fuse::guarded([&] {
    if (!from || !to || !fuse::isSize(width, height) || count < 0 || (count > 0 && (!positions || !found || !status)))
      return FUSE_VISION_BAD_ARGUMENT;
    if (count == 0) return FUSE_VISION_OK;
    cv::Mat next = fuse::points(found, count), flags(count, 1, CV_8UC1, status);
    cv::calcOpticalFlowPyrLK(fuse::view(from, width, height), fuse::view(to, width, height),
                             fuse::points(positions, count),
                             next, flags, cv::noArray());
    return next.ptr<float>() == found && flags.ptr<uint8_t>() == status ? FUSE_VISION_OK : FUSE_VISION_FAILED;
  });
}

int fuse_vision_reference_corners(const uint8_t *pixels, int32_t width, int32_t height, const float *taken, int32_t taken_count,
                              double distance, int32_t capacity, float *positions, int32_t *count) {
  return fuse::guarded([&] {
    if (!pixels || !count || !fuse::isSize(width, height) || taken_count < 0 || (taken_count > 0 && !taken) ||
        capacity < 0 || (capacity > 0 && !positions) || !(distance >= 0 && distance < 1000))
      return FUSE_VISION_BAD_ARGUMENT;
    *count = 0;
    if (capacity == 0) return FUSE_VISION_OK;
    cv::Mat mask(height, width, CV_8UC1, cv::Scalar(255));
    for (int32_t i = 0; i < taken_count; ++i)
      cv::circle(mask, cv::Point(cvRound(taken[2 * i]), cvRound(taken[2 * i + 1])), cvRound(distance), cv::Scalar(0), -1);
    std::vector<cv::Point2f> corners;
    cv::goodFeaturesToTrack(fuse::view(pixels, width, height), corners, capacity, 0.01, distance, mask);
    for (size_t i = 0; i < corners.size(); ++i) {
      positions[2 * i] = corners[i].x;
      positions[2 * i + 1] = corners[i].y;
    }
    *count = static_cast<int32_t>(corners.size());
    return FUSE_VISION_OK;
  });
}
