// Part of the kernel: included once for each kind of processor, after Names.hpp.

#include "Vector.hpp"

/// The distance `r = |c + rho u - p|` as a function of a component's position, and its derivatives.
///
/// With `q = (c + rho u - p) / r`: `dr/dalpha_i = rho q.e_i`, `dr/drho = q.u`, and along a tangent `d2r/dalpha_i^2 =
/// (rho^2 - (rho q.e_i)^2) / r - rho q.u`.
struct RangeDerivatives {
  /// Metres; metres per radian along the two tangents, and per metre along the ray; metres per square radian.
  Lanes distance, alpha1, alpha2, rho, curvature1, curvature2;

  RangeDerivatives(Vector u, Vector e1, Lanes length, const double *from) {
    Vector d = Vector(Lanes(from[0]), Lanes(from[1]), Lanes(from[2])) + length * u;
    distance = atLeast(root(d.dot(d)), 1e-6);
    Vector q = (1.0 / distance) * d;
    alpha1 = length * q.dot(e1);
    alpha2 = length * q.dot(u.cross(e1));
    rho = q.dot(u);
    curvature1 = (length * length - alpha1 * alpha1) / distance - length * rho;
    curvature2 = (length * length - alpha2 * alpha2) / distance - length * rho;
  }

  /// Half of the second derivatives times the tangents' variances: curvature of the range over a component, metres.
  void curvatures(const Lanes *covariance, Lanes &b1, Lanes &b2) const {
    b1 = 0.5 * curvature1 * covariance[0], b2 = 0.5 * curvature2 * covariance[2];
    b1 = replace(b1, -b1, b1 < Lanes(0.0)), b2 = replace(b2, -b2, b2 < Lanes(0.0));
  }
};

/// A cell: N is the dimension, or 0 where it is only known at run time.
template <int N>
struct Cell {
  Lanes *at;
  int size;

  int n() const { return N ? N : size; }
  Lanes *tangent() const { return at + 3; }
  Lanes *scalars() const { return at + 6; }
  Lanes *covariance() const { return at + 6 + n() - 2; }
  /// Covariance row of the NLOS bias, which is last.
  Lanes *nlosBias() const { return covariance() + triangle(n() - 1); }
};

/// Predicted range at one position of a cell, without the NLOS bias.
template <int N>
struct PredictedRange {
  RangeDerivatives row;
  /// `h^T P h`, m^2.
  Lanes variance;

  /// Fills `ph` with `P h` except for the NLOS bias, n - 1 lanes.
  PredictedRange(Vector u, Vector e1, Lanes rho, Lanes scaleError, Cell<N> cell, const fuse_range &range, Lanes *ph)
      : row(u, e1, rho, range.from) {
    const Lanes scale = 1.0 + scaleError;
    h0 = scale * row.alpha1, h1 = scale * row.alpha2, h2 = scale * row.rho;
    const Lanes *p = cell.covariance();
    // Position, bias, scale error, coloured and constant antenna bias.
    for (int r = 0; r < cell.n() - 1; ++r) {
      auto entry = [&](int c) { return c <= r ? p[triangle(r) + c] : p[triangle(c) + r]; };
      Lanes sum = h0 * entry(0) + h1 * entry(1) + h2 * entry(2) + entry(3) + row.distance * entry(4);
      sum += entry(range.coloured);
      if (range.constant >= 0) sum += entry(range.constant);
      ph[r] = sum;
    }
    variance = form(ph, range);
  }

  /// `h^T v` without the NLOS bias.
  Lanes form(const Lanes *v, const fuse_range &range) const {
    Lanes sum = h0 * v[0] + h1 * v[1] + h2 * v[2] + v[3] + row.distance * v[4] + v[range.coloured];
    return range.constant >= 0 ? sum + v[range.constant] : sum;
  }

  Lanes h0, h1, h2;
};
