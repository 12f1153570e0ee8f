/// Four numbers side by side, and what the hypotheses need of them; `SIMD4<Double>` in Swift.
#ifndef FUSE_LANES_H
#define FUSE_LANES_H
#include <stdint.h>

// All functions of lanes are inlined: how they would be handed over does not matter.
#pragma clang diagnostic ignored "-Wpsabi"

// Swift keeps them at multiples of 16 bytes.
typedef double fuse_lanes __attribute__((ext_vector_type(4), aligned(16)));
/// All bits of a number set where something is true of it, none where it is not.
typedef int64_t fuse_lanes_mask __attribute__((ext_vector_type(4), aligned(16)));

#define FUSE_LANES_INLINE static inline __attribute__((always_inline, unused))

#ifndef __cplusplus
#include "LaneMath.h"
#endif
#endif
