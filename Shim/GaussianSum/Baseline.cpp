// The kernel for any processor.
#include "CInterface.hpp"

namespace fuse::baseline {
#include "Kernel.hpp"
}  // namespace fuse::baseline
