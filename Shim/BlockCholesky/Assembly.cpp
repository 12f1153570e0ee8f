// Creation of the system, and addition of rows.
#include <cmath>
#include <eigen3/Eigen/Cholesky>

#include "System.hpp"

using namespace fuse_bc;

int fuse_bc_create(int32_t count, const int32_t *sizes, const int32_t *first, fuse_bc_system **result) {
  return guarded([&]() -> int {
    if (count <= 0) return FUSE_BC_BAD_ARGUMENT;
    for (int32_t i = 0; i < count; ++i)
      if (sizes[i] <= 0 || first[i] < 0 || first[i] > i) return FUSE_BC_BAD_ARGUMENT;
    auto *system = new fuse_bc_system();
    try {
      system->size.assign(sizes, sizes + count);
      system->first.assign(first, first + count);
      system->offset.assign(1, 0);
      for (int32_t i = 0; i < count; ++i) system->offset.push_back(system->offset.back() + sizes[i]);
      std::size_t total = 0;
      for (int32_t i = 0; i < count; ++i) {
        system->matrix.start.push_back(total);
        total += static_cast<std::size_t>(sizes[i]) * static_cast<std::size_t>(system->width(i));
      }
      system->matrix.numbers.assign(total, 0.0);
      system->gradient = Vector::Zero(system->offset.back());
    } catch (...) {
      delete system;
      throw;
    }
    *result = system;
    return FUSE_BC_OK;
  });
}

void fuse_bc_destroy(fuse_bc_system *system) { delete system; }

int fuse_bc_reset(fuse_bc_system *system) {
  return guarded([&]() -> int {
    std::fill(system->matrix.numbers.begin(), system->matrix.numbers.end(), 0.0);
    system->gradient.setZero();
    system->isInverted = false;
    return FUSE_BC_OK;
  });
}

int fuse_bc_add(fuse_bc_system *system, const int32_t *blocks, int32_t count, int32_t rows, const double *W,
                const double *J, const double *r) {
  return guarded([&]() -> int {
    if (count <= 0 || rows <= 0) return FUSE_BC_BAD_ARGUMENT;
    int32_t columns = 0;
    std::vector<int32_t> left;
    for (int32_t k = 0; k < count; ++k) {
      if (blocks[k] < 0 || blocks[k] >= system->count()) return FUSE_BC_BAD_ARGUMENT;
      for (int32_t l = 0; l < k; ++l) {
        const int32_t high = std::max(blocks[k], blocks[l]), low = std::min(blocks[k], blocks[l]);
        if (high == low || !system->holds(high, low)) return FUSE_BC_BAD_ARGUMENT;
      }
      left.push_back(columns);
      columns += system->size[blocks[k]];
    }
    Matrix jacobian = Packed(J, rows, columns);
    Vector residual = Eigen::Map<const Vector>(r, rows);
    if (W) {
      const Packed weight(W, rows, rows);
      jacobian = (weight * jacobian).eval();
      residual = (weight * residual).eval();
    }
    if (!jacobian.allFinite() || !residual.allFinite()) return FUSE_BC_NOT_FINITE;
    for (int32_t k = 0; k < count; ++k) {
      const auto own = jacobian.middleCols(left[k], system->size[blocks[k]]);
      system->gradient.segment(system->offset[blocks[k]], system->size[blocks[k]]).noalias() +=
          own.transpose() * residual;
      for (int32_t l = 0; l < count; ++l) {
        if (blocks[l] > blocks[k]) continue;
        const auto other = jacobian.middleCols(left[l], system->size[blocks[l]]);
        system->block(system->matrix, blocks[k], blocks[l]).noalias() += own.transpose() * other;
      }
    }
    return FUSE_BC_OK;
  });
}

int fuse_bc_add_point(fuse_bc_system *system, const int32_t *blocks, int32_t observations, int32_t point,
                      int32_t shared,
                      const double *A, const double *B, const double *C, const double *r, const double *own_row) {
  return guarded([&]() -> int {
    using Rows6 = Eigen::Map<const Eigen::Matrix<double, 2, 6, Eigen::RowMajor>>;
    using Rows3 = Eigen::Map<const Eigen::Matrix<double, 2, 3, Eigen::RowMajor>>;
    const bool isKept = point >= 0;
    if (observations <= 0 || point >= system->count() || shared <= point) return FUSE_BC_BAD_ARGUMENT;
    if (isKept && system->size[point] != 3) return FUSE_BC_BAD_ARGUMENT;
    for (int32_t i = 0; i < observations; ++i) {
      if (i > 0 && blocks[i] <= blocks[i - 1]) return FUSE_BC_BAD_ARGUMENT;
      if (!(isKept ? system->holds(point, blocks[i]) && blocks[i] < point : system->holds(blocks[i], blocks[0])))
        return FUSE_BC_BAD_ARGUMENT;
      if (!system->holds(shared, blocks[i]) || blocks[i] == shared || system->size[blocks[i]] < 6)
        return FUSE_BC_BAD_ARGUMENT;
    }
    const int32_t extra = system->size[shared];
    const Packed a(A, 2 * observations, 6), b(B, 2 * observations, extra), c(C, 2 * observations, 3);
    const Eigen::Map<const Vector> residual(r, 2 * observations);
    if (!a.allFinite() || !b.allFinite() || !c.allFinite() || !residual.allFinite()) return FUSE_BC_NOT_FINITE;

    Eigen::Matrix3d V = c.transpose() * c;
    Eigen::Vector3d gradient = c.transpose() * residual;
    if (own_row) {
      if (!std::isfinite(own_row[0]) || !std::isfinite(own_row[1])) return FUSE_BC_NOT_FINITE;
      V(2, 2) += own_row[0] * own_row[0];
      gradient(2) += own_row[0] * own_row[1];
    }
    // A direction without information has no coupling either: any positive number regularises it.
    V.diagonal().array() += 1e-12 * V.trace() + 1e-30;
    const Eigen::LLT<Eigen::Matrix3d> factor(V);
    if (factor.info() != Eigen::Success) return FUSE_BC_NOT_POSITIVE;

    for (int32_t i = 0; i < observations; ++i) {
      const auto own = Rows6(A + 12 * i);
      system->gradient.segment<6>(system->offset[blocks[i]]) += own.transpose() * residual.segment<2>(2 * i);
      system->block(system->matrix, blocks[i], blocks[i]).topLeftCorner<6, 6>() += own.transpose() * own;
      system->block(system->matrix, shared, blocks[i]).leftCols<6>().noalias() += b.middleRows<2>(2 * i).transpose() * own;
    }
    system->block(system->matrix, shared, shared).noalias() += b.transpose() * b;
    system->gradient.segment(system->offset[shared], extra).noalias() += b.transpose() * residual;
    if (isKept) {
      system->block(system->matrix, point, point) += V;
      system->gradient.segment<3>(system->offset[point]) += gradient;
      for (int32_t i = 0; i < observations; ++i)
        system->block(system->matrix, point, blocks[i]).leftCols<6>() +=
            Rows3(C + 6 * i).transpose() * Rows6(A + 12 * i);
      system->block(system->matrix, shared, point).noalias() += b.transpose() * c;
      return FUSE_BC_OK;
    }

    // Y_i = L^-1 C_i^T A_i, 3 x 6: the Schur complement subtracts Y^T Y.
    const Eigen::Vector3d z = factor.matrixL().solve(gradient);
    Eigen::Matrix<double, 3, Eigen::Dynamic> Y(3, 6 * observations);
    const Eigen::Matrix<double, 3, Eigen::Dynamic> Ys = factor.matrixL().solve((c.transpose() * b).eval());
    for (int32_t i = 0; i < observations; ++i)
      Y.middleCols<6>(6 * i) = factor.matrixL().solve((Rows3(C + 6 * i).transpose() * Rows6(A + 12 * i)).eval());
    for (int32_t i = 0; i < observations; ++i) {
      const auto mine = Y.middleCols<6>(6 * i);
      system->gradient.segment<6>(system->offset[blocks[i]]) -= mine.transpose() * z;
      for (int32_t j = 0; j <= i; ++j)
        system->block(system->matrix, blocks[i], blocks[j]).topLeftCorner<6, 6>().noalias() -=
            mine.transpose() * Y.middleCols<6>(6 * j);
      system->block(system->matrix, shared, blocks[i]).leftCols<6>().noalias() -= Ys.transpose() * mine;
    }
    system->block(system->matrix, shared, shared).noalias() -= Ys.transpose() * Ys;
    system->gradient.segment(system->offset[shared], extra).noalias() -= Ys.transpose() * z;
    return FUSE_BC_OK;
  });
}
