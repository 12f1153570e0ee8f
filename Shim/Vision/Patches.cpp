// Patches kept from where a track began, found again as they look now.
#include <algorithm>
#include <cmath>

#include "CInterface.hpp"

namespace {

constexpr int half = FUSE_VISION_PATCH_HALF, side = 2 * half + 1, area = side * side;
constexpr float inner = 1.0f / half;  // coordinates within a patch run from -1 to 1, so that the equations are well scaled

/// A patch in memory: the mean-free pixels and their slopes by column and row, both weighed, and the inverse of its normal equations'
/// matrix.
struct Patch {
  float pixels[area], slopeX[area], slopeY[area], inverse[36];
  float energy;  // sum of squares of the pixels
  float unused[FUSE_VISION_PATCH_SIZE - 3 * area - 37];
};
static_assert(sizeof(Patch) == FUSE_VISION_PATCH_SIZE * sizeof(float), "as the header says");

/// Inverts a symmetric positive definite 6x6 matrix by Gauss and Jordan; false when it is not.
bool invert(const double (&matrix)[6][6], float *inverse) {
  double a[6][12] = {};
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) a[i][j] = matrix[i][j];
    a[i][6 + i] = 1;
  }
  for (int i = 0; i < 6; ++i) {
    if (!(a[i][i] > 1e-6 * matrix[i][i]) || !(matrix[i][i] > 0)) return false;
    const double pivot = 1 / a[i][i];
    for (double &value : a[i]) value *= pivot;
    for (int k = 0; k < 6; ++k) {
      const double factor = a[k][i];
      if (k == i) continue;
      for (int j = 0; j < 12; ++j) a[k][j] -= factor * a[i][j];
    }
  }
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) inverse[6 * i + j] = static_cast<float>(a[i][6 + j]);
  return true;
}

/// A place as a function of coordinates within a patch: (a x + b y + u, c x + d y + v).
struct Affine {
  float a, b, c, d, u, v;
};

/// The pixels under a patch, bilinear, and whether all of them are inside the image.
///
/// Those outside become 0, and `inside` says which; their number is returned. Without `inside` all must be there.
int sample(const cv::Mat &image, const Affine &w, float *pixels, uint8_t *inside) {
  const float reachX = std::fabs(w.a) + std::fabs(w.b), reachY = std::fabs(w.c) + std::fabs(w.d);
  const int lastColumn = image.cols - 1, lastRow = image.rows - 1;
  const bool isWhole =
      w.u - reachX >= 0 && w.v - reachY >= 0 && w.u + reachX < lastColumn && w.v + reachY < lastRow;
  if (!isWhole && !inside) return 0;
  // Far outside whole numbers would not hold the places.
  if (!(std::fabs(w.u) + reachX < 1e6f && std::fabs(w.v) + reachY < 1e6f)) return 0;
  const size_t step = image.step;
  const float dx = w.a * inner, dy = w.c * inner;
  int count = 0;
  for (int j = -half; j <= half; ++j) {
    float x = w.u - w.a + w.b * (j * inner), y = w.v - w.c + w.d * (j * inner);
    for (int i = 0; i < side; ++i, x += dx, y += dy, ++pixels) {
      const int column = static_cast<int>(x), row = static_cast<int>(y);
      if (!isWhole) {
        const bool isIn = x >= 0 && y >= 0 && column < lastColumn && row < lastRow;
        inside[count++] = isIn;
        *pixels = 0;
        if (!isIn) continue;
      }
      const float fx = x - column, fy = y - row;
      const uint8_t *p = image.data + row * step + column;
      const float upper = p[0] + fx * (p[1] - p[0]), lower = p[step] + fx * (p[step + 1] - p[step]);
      *pixels = upper + fy * (lower - upper);
    }
  }
  return isWhole ? area : static_cast<int>(std::count(inside, inside + area, 1));
}

/// How much each pixel of a patch counts: its middle is what is followed, and what is beside it may be something else behind an
/// edge. `root` is the square root of the weight; sums of squares of what is multiplied by it are weighted.
struct Weights {
  float root[area], weight[area], sum = 0;
  Weights() {
    const float width = 6;  // pixels, 1-sigma of a bell
    for (int i = 0; i < area; ++i) {
      const float x = i % side - half, y = i / side - half;
      weight[i] = std::exp(-(x * x + y * y) / (2 * width * width));
      root[i] = std::sqrt(weight[i]);
      sum += weight[i];
    }
  }
};
const Weights weights;

/// Makes the pixels mean-free and weighs them.
void centre(float *pixels) {
  float sum = 0;
  for (int i = 0; i < area; ++i) sum += weights.weight[i] * pixels[i];
  const float mean = sum / weights.sum;
  for (int i = 0; i < area; ++i) pixels[i] = weights.root[i] * (pixels[i] - mean);
}

/// The same where some are missing: those stay 0, and so do they in `other`, a patch that was weighed before.
void centre(float *pixels, float *other, const uint8_t *inside) {
  float sum = 0, otherSum = 0, all = 0;
  for (int i = 0; i < area; ++i) {
    if (!inside[i]) {
      other[i] = 0;
      continue;
    }
    all += weights.weight[i];
    sum += weights.weight[i] * pixels[i];
    otherSum += weights.root[i] * other[i];
  }
  for (int i = 0; i < area; ++i) {
    if (!inside[i]) continue;
    pixels[i] = weights.root[i] * (pixels[i] - sum / all);
    other[i] -= weights.root[i] * otherSum / all;
  }
}

/// The inverse of the normal equations' matrix, from the pixels that are `inside`, or from all.
bool solve(const Patch &patch, const uint8_t *inside, float *inverse) {
  double h[6][6] = {};
  for (int i = 0; i < area; ++i) {
    if (inside && !inside[i]) continue;
    const float x = (i % side - half) * inner, y = (i / side - half) * inner;
    const float gx = patch.slopeX[i], gy = patch.slopeY[i];
    const float row[6] = {gx * x, gx * y, gy * x, gy * y, gx, gy};
    for (int r = 0; r < 6; ++r)
      for (int c = r; c < 6; ++c) h[r][c] += row[r] * row[c];
  }
  for (int r = 0; r < 6; ++r)
    for (int c = 0; c < r; ++c) h[r][c] = h[c][r];
  return invert(h, inverse);
}

bool make(const cv::Mat &image, float u, float v, Patch &patch) {
  constexpr float size = half;
  if (!sample(image, {size, 0, 0, size, u, v}, patch.pixels, nullptr)) return false;
  float left[area], right[area], upper[area], lower[area];
  if (!sample(image, {size, 0, 0, size, u - 1, v}, left, nullptr) || !sample(image, {size, 0, 0, size, u + 1, v}, right, nullptr) ||
      !sample(image, {size, 0, 0, size, u, v - 1}, upper, nullptr) || !sample(image, {size, 0, 0, size, u, v + 1}, lower, nullptr))
    return false;
  centre(patch.pixels);
  patch.energy = 0;
  for (int i = 0; i < area; ++i) {
    // By patch coordinates, of which a pixel is `inner`.
    patch.slopeX[i] = weights.root[i] * 0.5f * half * (right[i] - left[i]);
    patch.slopeY[i] = weights.root[i] * 0.5f * half * (lower[i] - upper[i]);
    patch.energy += patch.pixels[i] * patch.pixels[i];
  }
  return patch.energy > 0 && solve(patch, nullptr, patch.inverse);
}

/// Moves a warp to where the image looks like the patch; the correlation there, or -1 when it leads nowhere.
float align(const cv::Mat &image, const Patch &patch, Affine &w, int iterations, float precision) {
  float pixels[area], cut[area], truncatedInverse[36];
  uint8_t inside[area];
  float correlation = -1;
  for (int k = 0; k <= iterations; ++k) {
    const int count = sample(image, w, pixels, inside);
    if (count < area / 2) return -1;
    // At the edge of the image the rest of the patch must do.
    const float *own = patch.pixels, *inverse = patch.inverse;
    float ownEnergy = patch.energy;
    if (count == area) {
      centre(pixels);
    } else {
      std::copy(patch.pixels, patch.pixels + area, cut);
      centre(pixels, cut, inside);
      own = cut;
      ownEnergy = 0;
      for (int i = 0; i < area; ++i) ownEnergy += cut[i] * cut[i];
      if (!solve(patch, inside, truncatedInverse)) return -1;
      inverse = truncatedInverse;
    }
    float product = 0, energy = 0;
    for (int i = 0; i < area; ++i) {
      product += pixels[i] * own[i];
      energy += pixels[i] * pixels[i];
    }
    if (!(product > 0) || !(energy > 0)) return -1;
    correlation = product / std::sqrt(energy * ownEnergy);
    if (k == iterations) break;
    // Brightness and contrast of the image now are its own.
    const float gain = ownEnergy / product;
    float g[6] = {};
    const float *p = pixels, *t = own, *sx = patch.slopeX, *sy = patch.slopeY;
    for (int j = -half; j <= half; ++j, p += side, t += side, sx += side, sy += side) {
      float x = 0, y = 0, xx = 0, yx = 0;
      for (int i = 0; i < side; ++i) {
        const float error = gain * p[i] - t[i], along = (i - half) * inner;
        const float ex = error * sx[i], ey = error * sy[i];
        x += ex;
        y += ey;
        xx += ex * along;
        yx += ey * along;
      }
      const float row = j * inner;
      g[0] += xx;
      g[1] += x * row;
      g[2] += yx;
      g[3] += y * row;
      g[4] += x;
      g[5] += y;
    }
    float s[6];
    for (int r = 0; r < 6; ++r) {
      s[r] = 0;
      for (int c = 0; c < 6; ++c) s[r] += inverse[6 * r + c] * g[c];
    }
    // w <- w o (1 + s)^-1
    const float a = 1 + s[0], b = s[1], c = s[2], d = 1 + s[3], determinant = a * d - b * c;
    if (!(determinant > 0.25f && determinant < 4)) return -1;
    const float ia = d / determinant, ib = -b / determinant, ic = -c / determinant, id = a / determinant;
    const float iu = -(ia * s[4] + ib * s[5]), iv = -(ic * s[4] + id * s[5]);
    const Affine n = {w.a * ia + w.b * ic,        w.a * ib + w.b * id,       w.c * ia + w.d * ic,
                      w.c * ib + w.d * id,        w.a * iu + w.b * iv + w.u, w.c * iu + w.d * iv + w.v};
    // All six are in pixels, four of them at the patch's edges.
    const float moves[6] = {n.a - w.a, n.b - w.b, n.c - w.c, n.d - w.d, n.u - w.u, n.v - w.v};
    w = n;
    if (std::all_of(moves, moves + 6, [=](float move) { return std::fabs(move) < precision; })) break;
  }
  return std::isfinite(w.u + w.v + w.a + w.b + w.c + w.d) ? correlation : -1;
}

}  // namespace

int fuse_vision_patches_make(const fuse_vision_image *image, const float *places, const int32_t *slots, float *patches,
                             uint8_t *status, int32_t count) {
  return fuse::guarded([&] {
    if (!image || count < 0 || (count > 0 && (!places || !slots || !patches || !status))) return FUSE_VISION_BAD_ARGUMENT;
    for (int32_t i = 0; i < count; ++i)
      status[i] = make(image->levels[0], places[2 * i], places[2 * i + 1], reinterpret_cast<Patch *>(patches)[slots[i]]);
    return FUSE_VISION_OK;
  });
}

int fuse_vision_patches_align(const fuse_vision_image *image, const float *patches, const int32_t *slots, float *warps,
                              float *correlations, int32_t count, int32_t iterations, float precision) {
  return fuse::guarded([&] {
    if (!image || count < 0 || iterations < 1 || iterations > 100 || !(precision > 0) ||
        (count > 0 && (!patches || !slots || !warps || !correlations)))
      return FUSE_VISION_BAD_ARGUMENT;
    for (int32_t i = 0; i < count; ++i)
      correlations[i] = align(image->levels[0], reinterpret_cast<const Patch *>(patches)[slots[i]],
                              reinterpret_cast<Affine *>(warps)[i], iterations, precision);
    return FUSE_VISION_OK;
  });
}
