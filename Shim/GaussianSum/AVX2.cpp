// The kernel for processors with AVX2: four lanes are one register instead of two.
#include "CInterface.hpp"

#ifdef __x86_64__
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
namespace fuse::avx2 {
#include "Kernel.hpp"
}  // namespace fuse::avx2
#pragma clang attribute pop
#endif
