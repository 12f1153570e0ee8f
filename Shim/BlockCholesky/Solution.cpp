// Factor, solution and selected inverse.
#include <eigen3/Eigen/Cholesky>

#include "System.hpp"

using namespace fuse_bc;

namespace {

/// H = L L^T, block row by block row, in place.
int factor(fuse_bc_system &s) {
  for (int32_t i = 0; i < s.count(); ++i) {
    for (int32_t j = s.first[i]; j <= i; ++j) {
      View target = s.block(s.matrix, i, j);
      const int32_t from = std::max(s.first[i], s.first[j]);
      if (from < j) {
        const View left = s.part(s.matrix, i, from, j), right = s.part(s.matrix, j, from, j);
        // For the three rows of a point plain dot products are faster than packing for the blocked product.
        if (std::min(s.size[i], s.size[j]) <= 3)
          target.noalias() -= left.lazyProduct(right.transpose());
        else
          target.noalias() -= left * right.transpose();
      }
      if (j < i) {
        const View pivot = s.block(s.matrix, j, j);
        pivot.triangularView<Eigen::Lower>().transpose().solveInPlace<Eigen::OnTheRight>(target);
      } else {
        const Eigen::LLT<Eigen::MatrixXd> own(target);
        if (own.info() != Eigen::Success) return FUSE_BC_NOT_POSITIVE;
        target = own.matrixL();
      }
    }
  }
  return FUSE_BC_OK;
}

void substitute(fuse_bc_system &s, Vector &x) {
  for (int32_t i = 0; i < s.count(); ++i) {
    auto own = x.segment(s.offset[i], s.size[i]);
    if (s.first[i] < i)
      own.noalias() -= s.part(s.matrix, i, s.first[i], i) * x.segment(s.offset[s.first[i]], s.width(i) - s.size[i]);
    s.block(s.matrix, i, i).triangularView<Eigen::Lower>().solveInPlace(own);
  }
  for (int32_t i = s.count() - 1; i >= 0; --i) {
    auto own = x.segment(s.offset[i], s.size[i]);
    s.block(s.matrix, i, i).triangularView<Eigen::Lower>().transpose().solveInPlace(own);
    if (s.first[i] < i)
      x.segment(s.offset[s.first[i]], s.width(i) - s.size[i]).noalias() -=
          s.part(s.matrix, i, s.first[i], i).transpose() * own;
  }
}

}  // namespace

int fuse_bc_solve(fuse_bc_system *system, double damping, double *x) {
  return guarded([&]() -> int {
    fuse_bc_system &s = *system;
    if (!(damping >= 0)) return FUSE_BC_BAD_ARGUMENT;
    for (int32_t i = 0; i < s.count(); ++i) {
      View own = s.block(s.matrix, i, i);
      own.diagonal() *= 1 + damping;
    }
    if (const int status = factor(s)) return status;
    Vector solution = -s.gradient;
    substitute(s, solution);
    if (!solution.allFinite()) return FUSE_BC_NOT_FINITE;
    Eigen::Map<Vector>(x, solution.size()) = solution;
    return FUSE_BC_OK;
  });
}

int fuse_bc_invert(fuse_bc_system *system) {
  return guarded([&]() -> int {
    fuse_bc_system &s = *system;
    // In place: column j of the factor is not needed once column j of the inverse is known.
    s.isInverted = false;
    std::vector<std::vector<int32_t>> below(s.count());  // rows whose envelope reaches a column
    for (int32_t i = 0; i < s.count(); ++i)
      for (int32_t j = s.first[i]; j < i; ++j) below[j].push_back(i);
    for (int32_t j = s.count() - 1; j >= 0; --j) {
      const std::vector<int32_t> &rows = below[j];
      int64_t height = 0;
      for (int32_t i : rows) height += s.size[i];
      // Z_Sj = -Z_SS B, Z_jj = L_jj^-T L_jj^-1 + B^T Z_SS B with B = L_Sj L_jj^-1.
      Matrix Z(height, height), B(height, s.size[j]);
      int64_t top = 0;
      for (std::size_t a = 0; a < rows.size(); ++a) {
        const int32_t i = rows[a];
        B.middleRows(top, s.size[i]) = s.block(s.matrix, i, j);
        int64_t left = 0;
        for (std::size_t b = 0; b <= a; ++b) {
          const int32_t k = rows[b];
          Z.block(top, left, s.size[i], s.size[k]) = s.block(s.matrix, i, k);
          if (b < a) Z.block(left, top, s.size[k], s.size[i]) = s.block(s.matrix, i, k).transpose();
          left += s.size[k];
        }
        top += s.size[i];
      }
      const View pivot = s.block(s.matrix, j, j);
      Matrix lower = Matrix::Identity(s.size[j], s.size[j]);
      pivot.triangularView<Eigen::Lower>().solveInPlace(lower);
      Matrix own = lower.transpose() * lower;
      if (height > 0) {
        pivot.triangularView<Eigen::Lower>().solveInPlace<Eigen::OnTheRight>(B);
        const Matrix column = Z * B;
        own.noalias() += B.transpose() * column;
        top = 0;
        for (int32_t i : rows) {
          s.block(s.matrix, i, j) = -column.middleRows(top, s.size[i]);
          top += s.size[i];
        }
      }
      if (!own.allFinite()) return FUSE_BC_NOT_FINITE;
      s.block(s.matrix, j, j) = 0.5 * (own + own.transpose());
    }
    s.isInverted = true;
    return FUSE_BC_OK;
  });
}

int fuse_bc_inverse_block(const fuse_bc_system *system, int32_t row, int32_t column, double *result) {
  return guarded([&]() -> int {
    // Views need writable memory; nothing is written through this one.
    fuse_bc_system &s = const_cast<fuse_bc_system &>(*system);
    const int32_t high = std::max(row, column), low = std::min(row, column);
    if (!s.holds(high, low) || !s.isInverted) return FUSE_BC_BAD_ARGUMENT;
    const View found = s.block(s.matrix, high, low);
    Eigen::Map<Matrix> out(result, s.size[row], s.size[column]);
    if (row >= column)
      out = found;
    else
      out = found.transpose();
    return FUSE_BC_OK;
  });
}
