// The kernel for any processor.
#include "Border.hpp"

namespace fuse::plain {
#include "Names.hpp"
#include "Kernel.hpp"
}  // namespace fuse::plain
