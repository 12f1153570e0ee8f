// Declarations of both compilations of the kernel.
#ifndef FUSE_GAUSSIAN_SUM_C_INTERFACE_HPP
#define FUSE_GAUSSIAN_SUM_C_INTERFACE_HPP
#include <cmath>

#include "CGaussianSum.h"

// No fused multiply-add: identical rounding on every processor.
#pragma STDC FP_CONTRACT OFF

#define FUSE_DECLARE_KERNEL                                                                                           \
  void update(fuse_gaussian_sum, const fuse_range &, const double *white, fuse_range_sums *,                          \
              fuse_noise_statistics *, double *work);                                                                 \
  void forget(fuse_gaussian_sum, const fuse_forgetting &);                                                            \
  void drift(fuse_gaussian_sum, const fuse_path_drift &);                                                             \
  void curvatures(fuse_gaussian_sum, const double *from, double *curvatures);                                         \
  void predict(fuse_gaussian_sum, int i, const fuse_range &, double *row, double *variance, double *work);            \
  void linkCosts(const fuse_link &, const fuse_lanes *estimates, fuse_lanes *costs);                                  \
  void linkStep(const fuse_link &, fuse_lanes *estimates, const fuse_lanes *damping, fuse_lanes *costs,               \
                fuse_lanes_mask *isSolved);                                                                           \
  void residualLikelihoods(const fuse_residuals &, fuse_noise_candidate *, int count, double least);                  \
  void twoViewsStep(const fuse_two_views &, fuse_lanes *rows, fuse_lanes *deviations, fuse_lanes *normal,             \
                    fuse_lanes *step, fuse_lanes_mask *isSolved);

namespace fuse {
/// The baseline of the target architecture.
namespace baseline { FUSE_DECLARE_KERNEL }
/// AVX2, on x86-64 only.
namespace avx2 { FUSE_DECLARE_KERNEL }
}  // namespace fuse
#endif
