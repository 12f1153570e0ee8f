// The C interface: sizes are checked, and the processor is asked what it has.
#include "Border.hpp"

namespace {

bool isSound(const fuse_hypotheses &set) { return set.count >= 0 && set.count % 2 == 0 && set.dimension >= 7; }

bool isSound(const fuse_hypotheses &set, const fuse_range &range) {
  const int last = set.dimension - 1;
  return isSound(set) && range.coloured >= 5 && range.coloured < last && range.constant < last &&
         (range.constant < 0 || range.constant >= 5);
}

bool isWide(const fuse_hypotheses &set) {
#ifdef __x86_64__
  static const bool has = __builtin_cpu_supports("avx2");
  return has && !set.isPlain;
#else
  return false;
#endif
}

}  // namespace

extern "C" int fuse_hypotheses_update(fuse_hypotheses set, const fuse_range *range, const double *white, fuse_range_sums *sums,
                                      fuse_noise_news *news, double *work) {
  if (!isSound(set, *range)) return -1;
#ifdef __x86_64__
  if (isWide(set)) return fuse::wide::update(set, *range, white, sums, news, work), 0;
#endif
  return fuse::plain::update(set, *range, white, sums, news, work), 0;
}

extern "C" int fuse_hypotheses_forget(fuse_hypotheses set, const fuse_forgetting *step) {
  if (!isSound(set) || step->first < 5 || step->antennas < 1 || step->first + step->antennas >= set.dimension) return -1;
#ifdef __x86_64__
  if (isWide(set)) return fuse::wide::forget(set, *step), 0;
#endif
  return fuse::plain::forget(set, *step), 0;
}

extern "C" int fuse_hypotheses_drift(fuse_hypotheses set, const fuse_drift *lost) {
  if (!isSound(set)) return -1;
#ifdef __x86_64__
  if (isWide(set)) return fuse::wide::drift(set, *lost), 0;
#endif
  return fuse::plain::drift(set, *lost), 0;
}

extern "C" int fuse_hypotheses_bends(fuse_hypotheses set, const double from[3], double *bends) {
  if (!isSound(set)) return -1;
#ifdef __x86_64__
  if (isWide(set)) return fuse::wide::bends(set, from, bends), 0;
#endif
  return fuse::plain::bends(set, from, bends), 0;
}

extern "C" int fuse_hypotheses_foretell(fuse_hypotheses set, int32_t i, const fuse_range *range, double *row, double *variance,
                                        double *work) {
  if (!isSound(set, *range) || i < 0 || i >= set.count) return -1;
  return fuse::plain::foretell(set, i, *range, row, variance, work), 0;
}
