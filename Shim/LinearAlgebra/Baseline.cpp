// The kernel for any processor.
#include "Kernel.hpp"

#define FUSE_VECTORS 1
namespace fuse::baseline {
#include "Products.hpp"
#include "Reflections.hpp"
}  // namespace fuse::baseline

const fuse::Kernel fuse::baselineKernel = {
    fuse::baseline::multiply, fuse::baseline::subtractSquare, fuse::baseline::solveLower, fuse::baseline::triangularise};
