// The C interface: checks sizes and selects the kernel at run time.
#include "CInterface.hpp"

namespace {

bool isSound(const fuse_gaussian_sum &set) { return set.count >= 0 && set.count % 2 == 0 && set.dimension >= 7; }

bool isSound(const fuse_gaussian_sum &set, const fuse_range &range) {
  const int last = set.dimension - 1;
  return isSound(set) && range.coloured >= 5 && range.coloured < last && range.constant < last &&
         (range.constant < 0 || range.constant >= 5);
}

template <typename Problem>
bool usesAVX2(const Problem &problem) {
#ifdef __x86_64__
  static const bool has = __builtin_cpu_supports("avx2");
  return has && !problem.usesBaseline;
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

extern "C" void fuse_link_costs(const fuse_link *link, const fuse_lanes estimates[4], fuse_lanes *costs) {
#ifdef __x86_64__
  if (usesAVX2(*link)) return fuse::avx2::linkCosts(*link, estimates, costs);
#endif
  fuse::baseline::linkCosts(*link, estimates, costs);
}

extern "C" void fuse_link_step(const fuse_link *link, fuse_lanes estimates[4], const fuse_lanes *damping,
                               fuse_lanes *costs, fuse_lanes_mask *isSolved) {
#ifdef __x86_64__
  if (usesAVX2(*link)) return fuse::avx2::linkStep(*link, estimates, damping, costs, isSolved);
#endif
  fuse::baseline::linkStep(*link, estimates, damping, costs, isSolved);
}

extern "C" void fuse_residual_likelihoods(const fuse_residuals *of, fuse_noise_candidate *candidates, int32_t count,
                                          double least) {
#ifdef __x86_64__
  if (usesAVX2(*of)) return fuse::avx2::residualLikelihoods(*of, candidates, count, least);
#endif
  fuse::baseline::residualLikelihoods(*of, candidates, count, least);
}

extern "C" void fuse_two_views_step(const fuse_two_views *views, fuse_lanes *rows, fuse_lanes *deviations,
                                    fuse_lanes *normal, fuse_lanes *step, fuse_lanes_mask *isSolved) {
#ifdef __x86_64__
  if (usesAVX2(*views)) return fuse::avx2::twoViewsStep(*views, rows, deviations, normal, step, isSolved);
#endif
  fuse::baseline::twoViewsStep(*views, rows, deviations, normal, step, isSolved);
}
