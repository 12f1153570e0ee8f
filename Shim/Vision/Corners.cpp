// Corners from the gradients of the pyramid.
#include <algorithm>
#include <cmath>

#include "CInterface.hpp"

namespace {

constexpr int reach = 2;                 // half of the 5x5 block
constexpr double reachOfCentre = 6;
constexpr int border = 3;                // no corner nearer to the edge
constexpr float scale = 1.0f / (25.0f * 32.0f * 32.0f);  // to the mean of squared slopes

struct Corner {
  float strength;
  int x, y;
  float u, v;
};

bool isStronger(const Corner &a, const Corner &b) {
  if (a.strength != b.strength) return a.strength > b.strength;
  return a.y != b.y ? a.y < b.y : a.x < b.x;
}

/// The smaller eigenvalue of the gradient matrix at every pixel of a rectangle. Row sums first, then columns of them.
std::vector<float> strengths(const cv::Mat &gradients, int left, int top, int right, int bottom) {
  const int width = right - left, rows = bottom - top + 2 * reach;
  std::vector<int32_t> sums(static_cast<size_t>(3) * width * rows);
  std::vector<int32_t> xx(width + 2 * reach), xy(width + 2 * reach), yy(width + 2 * reach);
  for (int row = 0; row < rows; ++row) {
    const int16_t *g = gradients.ptr<int16_t>(top - reach + row) + 2 * (left - reach);
    for (int i = 0; i < width + 2 * reach; ++i) {
      const int32_t gx = g[2 * i], gy = g[2 * i + 1];
      xx[i] = gx * gx;
      xy[i] = gx * gy;
      yy[i] = gy * gy;
    }
    int32_t *sum = &sums[static_cast<size_t>(3) * width * row];
    for (int i = 0; i < width; ++i) {
      sum[i] = xx[i] + xx[i + 1] + xx[i + 2] + xx[i + 3] + xx[i + 4];
      sum[width + i] = xy[i] + xy[i + 1] + xy[i + 2] + xy[i + 3] + xy[i + 4];
      sum[2 * width + i] = yy[i] + yy[i + 1] + yy[i + 2] + yy[i + 3] + yy[i + 4];
    }
  }
  std::vector<float> result(static_cast<size_t>(width) * (bottom - top));
  std::vector<int32_t> total(3 * static_cast<size_t>(width));
  for (int row = 0; row < bottom - top; ++row) {
    const int32_t *first = &sums[static_cast<size_t>(3) * width * row];
    for (int i = 0; i < 3 * width; ++i)
      total[i] = first[i] + first[3 * width + i] + first[6 * width + i] + first[9 * width + i] + first[12 * width + i];
    float *out = &result[static_cast<size_t>(width) * row];
    for (int i = 0; i < width; ++i) {
      const float a = total[i] * scale, b = total[width + i] * scale, c = total[2 * width + i] * scale;
      const float half = 0.5f * (a - c);
      out[i] = 0.5f * (a + c) - std::sqrt(half * half + b * b);
    }
  }
  return result;
}

/// Moves a corner to the point where the lines through all gradients of a window meet best: S c = sum g g^T x. The
/// tracker follows the window, and only this point is invariant to its scaling. False if it diverges.
bool centre(const fuse_vision_image &image, Corner &corner) {
  const cv::Mat &gradients = image.levels[1];
  const int half = image.window / 2;
  int x = corner.x, y = corner.y;
  for (int step = 0; step < 4; ++step) {
    if (x < half || y < half || x + half >= image.width || y + half >= image.height) return false;
    double a = 0, b = 0, c = 0, p = 0, q = 0;
    for (int j = -half; j <= half; ++j) {
      const int16_t *g = gradients.ptr<int16_t>(y + j) + 2 * (x - half);
      float ra = 0, rb = 0, rc = 0, rp = 0, rq = 0;
      for (int i = -half; i <= half; ++i, g += 2) {
        const float gx = g[0], gy = g[1], along = gx * i + gy * j;
        ra += gx * gx;
        rb += gx * gy;
        rc += gy * gy;
        rp += gx * along;
        rq += gy * along;
      }
      a += ra;
      b += rb;
      c += rc;
      p += rp;
      q += rq;
    }
    const double determinant = a * c - b * b;
    if (!(determinant > 0)) return false;
    const double dx = (c * p - b * q) / determinant, dy = (a * q - b * p) / determinant;
    if (std::fabs(x + dx - corner.x) > reachOfCentre || std::fabs(y + dy - corner.y) > reachOfCentre) return false;
    corner.u = static_cast<float>(x + dx);
    corner.v = static_cast<float>(y + dy);
    const int nextX = static_cast<int>(std::lround(x + dx)), nextY = static_cast<int>(std::lround(y + dy));
    if (nextX == x && nextY == y) return true;
    x = nextX;
    y = nextY;
  }
  return true;
}

}  // namespace

int fuse_vision_corners(const fuse_vision_image *image, int32_t left, int32_t top, int32_t right, int32_t bottom,
                        float minStrength, int32_t capacity, float *positions, float *strength, int32_t *count) {
  return fuse::guarded([&] {
    if (!image || !count || capacity < 0 || (capacity > 0 && (!positions || !strength)) || !(minStrength > 0))
      return FUSE_VISION_BAD_ARGUMENT;
    *count = 0;
    left = std::max(left, border);
    top = std::max(top, border);
    right = std::min(right, image->width - border);
    bottom = std::min(bottom, image->height - border);
    if (left >= right || top >= bottom) return FUSE_VISION_OK;
    // One pixel more on every side, to decide whether a maximum at the edge of the rectangle is a local one.
    const int x0 = left - 1, y0 = top - 1, width = right - left + 2;
    const std::vector<float> all = strengths(image->levels[1], x0, y0, right + 1, bottom + 1);
    std::vector<Corner> found;
    for (int y = top; y < bottom; ++y) {
      for (int x = left; x < right; ++x) {
        const float *p = &all[static_cast<size_t>(y - y0) * width + (x - x0)];
        // Of equal neighbours the first one wins.
        if (*p >= minStrength && *p > p[-width - 1] && *p > p[-width] && *p > p[-width + 1] && *p > p[-1] &&
            *p >= p[1] &&
            *p >= p[width - 1] && *p >= p[width] && *p >= p[width + 1])
          found.push_back({*p, x, y, 0, 0});
      }
    }
    const size_t kept = std::min(found.size(), static_cast<size_t>(capacity));
    std::partial_sort(found.begin(), found.begin() + kept, found.end(), isStronger);
    int32_t number = 0;
    for (size_t i = 0; i < kept; ++i) {
      if (!centre(*image, found[i])) continue;
      positions[2 * number] = found[i].u;
      positions[2 * number + 1] = found[i].v;
      strength[number++] = found[i].strength;
    }
    *count = number;
    return FUSE_VISION_OK;
  });
}
