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
  void predict(fuse_gaussian_sum, int i, const fuse_range &, double *row, double *variance, double *work);

namespace fuse {
/// The baseline of the target architecture.
namespace baseline { FUSE_DECLARE_KERNEL }
/// AVX2, on x86-64 only.
namespace avx2 { FUSE_DECLARE_KERNEL }
}  // namespace fuse
#endif
