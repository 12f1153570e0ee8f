// What both compilations of the kernel share: names for lanes, and sizes.
#ifndef FUSE_HYPOTHESES_BORDER_HPP
#define FUSE_HYPOTHESES_BORDER_HPP
#include <cmath>

#include "CHypotheses.h"

// A product and a sum are two roundings on every processor.
#pragma STDC FP_CONTRACT OFF

#define FUSE_DECLARE_KERNEL                                                                                              \
  void update(fuse_hypotheses, const fuse_range &, const double *white, fuse_range_sums *, fuse_noise_news *,             \
              double *work);                                                                                          \
  void forget(fuse_hypotheses, const fuse_forgetting &);                                                                  \
  void drift(fuse_hypotheses, const fuse_drift &);                                                                        \
  void bends(fuse_hypotheses, const double *from, double *bends);                                                         \
  void foretell(fuse_hypotheses, int i, const fuse_range &, double *row, double *variance, double *work);

namespace fuse {
/// For any processor of the kind that the package is built for.
namespace plain { FUSE_DECLARE_KERNEL }
/// For those with AVX2, where that is something else.
namespace wide { FUSE_DECLARE_KERNEL }
}  // namespace fuse
#endif
