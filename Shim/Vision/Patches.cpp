// Patches stored at the start of a track, and their alignment in later images.
#include <algorithm>
#include <cmath>

#include "CInterface.hpp"

namespace {

constexpr int half = FUSE_VISION_PATCH_HALF, side = 2 * half + 1, area = side * side;
constexpr float inner = 1.0f / half;  // patch coordinates run from -1 to 1, for well-scaled equations

/// A patch in memory: the mean-free pixels and their gradients along columns and rows, both weighted, and the inverse
/// of the normal matrix.
struct Patch {
  float pixels[area], slopeX[area], slopeY[area], inverse[36];
  float energy;  // sum of squares of the pixels
  float unused[FUSE_VISION_PATCH_SIZE - 3 * area - 37];
};
static_assert(sizeof(Patch) == FUSE_VISION_PATCH_SIZE * sizeof(float), "as the header says");

/// Inverts a symmetric positive definite 6x6 matrix by Gauss-Jordan elimination; false if it is not.
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

/// A position as a function of patch coordinates: (a x + b y + u, c x + d y + v).
struct Affine {
  float a, b, c, d, u, v;
};

/// Samples the pixels under a patch, bilinear.
///
/// Pixels outside the image become 0 and are marked in `inside`. Returns the number of those inside. Without `inside`
/// all must be inside.
int sample(const cv::Mat &image, const Affine &w, float *pixels, uint8_t *inside) {
  const float reachX = std::fabs(w.a) + std::fabs(w.b), reachY = std::fabs(w.c) + std::fabs(w.d);
  const int lastColumn = image.cols - 1, lastRow = image.rows - 1;
  const bool isWhole =
      w.u - reachX >= 0 && w.v - reachY >= 0 && w.u + reachX < lastColumn && w.v + reachY < lastRow;
  if (!isWhole && !inside) return 0;
  // Positions far outside would overflow integers.
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

/// Weight of each pixel of a patch: its middle is tracked, and its surroundings may lie behind an edge at another
/// depth. `root` is the square root of the weight.
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

/// Makes the pixels mean-free and weights them.
void centre(float *pixels) {
  float sum = 0;
  for (int i = 0; i < area; ++i) sum += weights.weight[i] * pixels[i];
  const float mean = sum / weights.sum;
  for (int i = 0; i < area; ++i) pixels[i] = weights.root[i] * (pixels[i] - mean);
}

/// The same with missing pixels: they stay 0, also in `other`, a patch that is weighted already.
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

/// The inverse of the normal matrix from the pixels `inside`, or from all.
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

/// Aligns a warp so that the image matches the patch; returns the correlation, or -1 if it diverges.
float align(const cv::Mat &image, const Patch &patch, Affine &w, int iterations, float precision) {
  float pixels[area], truncated[area], truncatedInverse[36];
  uint8_t inside[area];
  float correlation = -1;
  for (int k = 0; k <= iterations; ++k) {
    const int count = sample(image, w, pixels, inside);
    if (count < area / 2) return -1;
    // At the edge of the image only the part inside is used.
    const float *reference = patch.pixels, *inverse = patch.inverse;
    float referenceEnergy = patch.energy;
    if (count == area) {
      centre(pixels);
    } else {
      std::copy(patch.pixels, patch.pixels + area, truncated);
      centre(pixels, truncated, inside);
      reference = truncated;
      referenceEnergy = 0;
      for (int i = 0; i < area; ++i) referenceEnergy += truncated[i] * truncated[i];
      if (!solve(patch, inside, truncatedInverse)) return -1;
      inverse = truncatedInverse;
    }
    float product = 0, energy = 0;
    for (int i = 0; i < area; ++i) {
      product += pixels[i] * reference[i];
      energy += pixels[i] * pixels[i];
    }
    if (!(product > 0) || !(energy > 0)) return -1;
    correlation = product / std::sqrt(energy * referenceEnergy);
    if (k == iterations) break;
    // Brightness and contrast of this image are removed.
    const float gain = referenceEnergy / product;
    float g[6] = {};
    const float *p = pixels, *t = reference, *sx = patch.slopeX, *sy = patch.slopeY;
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
    // All six in pixels, four of them at the patch's edges.
    const float moves[6] = {n.a - w.a, n.b - w.b, n.c - w.c, n.d - w.d, n.u - w.u, n.v - w.v};
    w = n;
    if (std::all_of(moves, moves + 6, [=](float move) { return std::fabs(move) < precision; })) break;
  }
  return std::isfinite(w.u + w.v + w.a + w.b + w.c + w.d) ? correlation : -1;
}

}  // namespace

int fuse_vision_patches_make(const fuse_vision_image *image, const float *positions, const int32_t *slots,
                             float *patches,
                             uint8_t *status, int32_t count) {
  return fuse::guarded([&] {
    if (!image || count < 0 ||
        (count > 0 && (!positions || !slots || !patches || !status))) return FUSE_VISION_BAD_ARGUMENT;
    for (int32_t i = 0; i < count; ++i)
      status[i] = make(image->levels[0], positions[2 * i], positions[2 * i + 1],
                       reinterpret_cast<Patch *>(patches)[slots[i]]);
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
