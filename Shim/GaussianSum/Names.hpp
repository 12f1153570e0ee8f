// Short names for the kernel; included within its namespace, so that all of it is compiled for the same processor.
using Lanes = fuse_lanes;
using Mask = fuse_lanes_mask;

#include "LaneMath.h"

/// Smallest distance from the anchor, metres.
constexpr double nearest = 0.05;
constexpr double pi = 3.14159265358979323846;

/// Numbers in the lower triangle of `rows` rows: also where row `rows` begins.
constexpr int triangle(int rows) { return rows * (rows + 1) / 2; }

static inline Lanes *lanes(double *numbers) { return reinterpret_cast<Lanes *>(numbers); }
static inline Lanes replace(Lanes a, Lanes b, Mask mask) { return fuse_lanes_replace(a, b, mask); }
static inline Lanes atLeast(Lanes a, double least) { return fuse_lanes_at_least(a, least); }
static inline Lanes root(Lanes a) { return __builtin_elementwise_sqrt(a); }
static inline Lanes exponential(Lanes a) { return fuse_lanes_exp(a); }
static inline Lanes clampedNormalCDF(Lanes a) { return fuse_lanes_clamped_normal_cdf(a); }
static inline bool any(Mask mask) { return __builtin_reduce_or(mask) != 0; }
static inline double sum(Lanes a) { return a[0] + a[1] + a[2] + a[3]; }
