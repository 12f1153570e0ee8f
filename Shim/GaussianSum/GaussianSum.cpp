// The C interface: checks sizes and selects the kernel at run time.
#include "CInterface.hpp"

namespace {

bool isSound(const fuse_gaussian_sum &set) { return set.count >= 0 && set.count % 2 == 0 && set.dimension >= 7; }

bool isSound(const fuse_gaussian_sum &set, const fuse_range &range) {
  const int last = set.dimension - 1;
  return isSound(set) && range.coloured >= 5 && range.coloured < last && range.constant < last &&
         (range.constant < 0 || range.constant >= 5);
}

bool usesAVX2(const fuse_gaussian_sum &set) {
#ifdef __x86_64__
  static const bool has = __builtin_cpu_supports("avx2");
  return has && !set.usesBaseline;
#else
  return false;
#endif
}

}  // namespace

extern "C" int fuse_gaussian_sum_update(fuse_gaussian_sum set, const fuse_range *range, const double *white,
                                        fuse_range_sums *sums,
                                      fuse_noise_statistics *statistics, double *work) {
  if (!isSound(set, *range)) return -1;
#ifdef __x86_64__
  if (usesAVX2(set)) return fuse::avx2::update(set, *range, white, sums, statistics, work), 0;
#endif
  return fuse::baseline::update(set, *range, white, sums, statistics, work), 0;
}

extern "C" int fuse_gaussian_sum_forget(fuse_gaussian_sum set, const fuse_forgetting *step) {
  if (!isSound(set) || step->first < 5 || step->antennas < 1 ||
      step->first + step->antennas >= set.dimension) return -1;
#ifdef __x86_64__
  if (usesAVX2(set)) return fuse::avx2::forget(set, *step), 0;
#endif
  return fuse::baseline::forget(set, *step), 0;
}

extern "C" int fuse_gaussian_sum_drift(fuse_gaussian_sum set, const fuse_path_drift *lost) {
  if (!isSound(set)) return -1;
#ifdef __x86_64__
  if (usesAVX2(set)) return fuse::avx2::drift(set, *lost), 0;
#endif
  return fuse::baseline::drift(set, *lost), 0;
}

extern "C" int fuse_gaussian_sum_curvatures(fuse_gaussian_sum set, const double from[3], double *curvatures) {
  if (!isSound(set)) return -1;
#ifdef __x86_64__
  if (usesAVX2(set)) return fuse::avx2::curvatures(set, from, curvatures), 0;
#endif
  return fuse::baseline::curvatures(set, from, curvatures), 0;
}

extern "C" int fuse_gaussian_sum_predict(fuse_gaussian_sum set, int32_t i, const fuse_range *range, double *row,
                                         double *variance,
                                        double *work) {
  if (!isSound(set, *range) || i < 0 || i >= set.count) return -1;
  return fuse::baseline::predict(set, i, *range, row, variance, work), 0;
}
