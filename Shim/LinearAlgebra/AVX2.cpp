// The kernel for processors with AVX2: four lanes are one register instead of two.
#include "Kernel.hpp"

#ifdef __x86_64__
#define FUSE_VECTORS 2
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
namespace fuse::avx2 {
#include "Products.hpp"
#include "Reflections.hpp"
}  // namespace fuse::avx2
#pragma clang attribute pop

const fuse::Kernel fuse::avx2Kernel = {
    fuse::avx2::multiply, fuse::avx2::subtractSquare, fuse::avx2::solveLower, fuse::avx2::triangularise};
#endif
