// The kernel for any processor.
#include "Border.hpp"

namespace fuse::plain {
#include "Kernel.hpp"
}  // namespace fuse::plain
