// The kernel once more, for processors with AVX2: four lanes are one register there instead of two.
#include "Border.hpp"

#ifdef __x86_64__
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
namespace fuse::wide {
#include "Kernel.hpp"
}  // namespace fuse::wide
#pragma clang attribute pop
#endif
