#include "CLinearAlgebra.h"
#include <eigen3/Eigen/Core>
int fuse_la_version(void) { return EIGEN_WORLD_VERSION * 10000 + EIGEN_MAJOR_VERSION * 100 + EIGEN_MINOR_VERSION; }
