/// SIMD vector of four numbers; `SIMD4<Double>` in Swift.
#ifndef FUSE_LANES_H
#define FUSE_LANES_H
#include <stdint.h>

// All functions of lanes are inlined, so their ABI does not matter.
#pragma clang diagnostic ignored "-Wpsabi"

// Swift keeps them at multiples of 16 bytes.
typedef double fuse_lanes __attribute__((ext_vector_type(4), aligned(16)));
/// All bits of a lane set where true, none where false.
typedef int64_t fuse_lanes_mask __attribute__((ext_vector_type(4), aligned(16)));

#define FUSE_LANES_INLINE static inline __attribute__((always_inline, unused))

#ifndef __cplusplus
#include "LaneMath.h"
#endif
#endif
