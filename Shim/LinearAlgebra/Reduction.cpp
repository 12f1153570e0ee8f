// Null-space projection and small solves.
#include <eigen3/Eigen/Cholesky>

#include "CInterface.hpp"

using namespace fuse;

namespace {

/// Most columns of F, and columns of H processed at a time, in registers and first-level cache.
constexpr int32_t kMostColumns = 8, kStrip = 64;

/// (I - scale v v^T) on `width` columns of A (rows x width, rows `ld` apart); v's first entry is `head`, the others lie
/// `step` apart from `tail` on.
void reflect(double head, const double *tail, int32_t step, double scale, double *A, int32_t rows, int32_t width, int32_t ld) {
  double w[kStrip];
  for (int32_t j = 0; j < width; ++j) w[j] = head * A[j];
  for (int32_t i = 1; i < rows; ++i) {
    const double v = tail[static_cast<size_t>(i - 1) * step];
    const double *__restrict a = A + static_cast<size_t>(i) * ld;
    for (int32_t j = 0; j < width; ++j) w[j] += v * a[j];
  }
  for (int32_t j = 0; j < width; ++j) w[j] *= scale;
  for (int32_t j = 0; j < width; ++j) A[j] -= head * w[j];
  for (int32_t i = 1; i < rows; ++i) {
    const double v = tail[static_cast<size_t>(i - 1) * step];
    double *__restrict a = A + static_cast<size_t>(i) * ld;
    for (int32_t j = 0; j < width; ++j) a[j] -= v * w[j];
  }
}

}  // namespace

int fuse_la_project(double *F, int32_t rows, int32_t f, double *H, int32_t m, double *r) {
  return guarded([&]() -> int {
    if (f <= 0 || f > kMostColumns || rows <= f || m <= 0) return FUSE_LA_BAD_ARGUMENT;
    if (!finite(F, static_cast<size_t>(rows) * f) || !finite(H, static_cast<size_t>(rows) * m) || !finite(r, rows))
      return FUSE_LA_NOT_FINITE;
    // F's columns below the diagonal become the reflections' vectors except for their heads.
    double heads[kMostColumns], scales[kMostColumns];
    for (int32_t k = 0; k < f; ++k) {
      double *top = F + static_cast<size_t>(k) * f + k, *tail = top + f;
      double squared = *top * *top;
      for (int32_t i = 0; i < rows - k - 1; ++i) squared += tail[static_cast<size_t>(i) * f] * tail[static_cast<size_t>(i) * f];
      const double norm = std::sqrt(squared), diagonal = *top < 0 ? norm : -norm;
      heads[k] = *top - diagonal;
      // A zero column needs no reflection: this direction does not affect the measurement.
      scales[k] = norm > 0 ? -1 / (diagonal * heads[k]) : 0;
      if (k + 1 < f) reflect(heads[k], tail, f, scales[k], top + 1, rows - k, f - k - 1, f);
      *top = norm > 0 ? diagonal : 0;
    }
    const auto apply = [&](double *A, int32_t width, int32_t ld) {
      for (int32_t k = 0; k < f; ++k)
        reflect(heads[k], F + static_cast<size_t>(k + 1) * f + k, f, scales[k], A + static_cast<size_t>(k) * ld, rows - k, width, ld);
    };
    for (int32_t left = 0; left < m; left += kStrip) apply(H + left, std::min(kStrip, m - left), m);
    apply(r, 1, 1);
    return FUSE_LA_OK;
  });
}

int fuse_la_solve(const double *A, int32_t n, double *B, int32_t m) {
  return guarded([&]() -> int {
    if (n <= 0 || m <= 0) return FUSE_LA_BAD_ARGUMENT;
    ConstPacked matrix(A, n, n);
    Packed sides(B, n, m);
    if (!matrix.allFinite() || !sides.allFinite()) return FUSE_LA_NOT_FINITE;
    const Eigen::LLT<Eigen::MatrixXd, Eigen::Upper> factor(matrix);
    if (factor.info() != Eigen::Success) return FUSE_LA_NOT_POSITIVE;
    const Matrix solution = factor.solve(sides);
    if (!solution.allFinite()) return FUSE_LA_NOT_FINITE;
    sides = solution;
    return FUSE_LA_OK;
  });
}
