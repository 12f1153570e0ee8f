// Operations on the Gaussian sum of a link. Included by each file that compiles it for one kind of processor, inside a
// namespace of its own; so are the parts, from the bottom up: Vector, PredictedRange, Likelihood, LOSTransition,
// LaneGroup; and two fits in lanes: LinkFit, TwoViews.
#include "Names.hpp"

#include "LaneGroup.hpp"
#include "LinkFit.hpp"
#include "TwoViews.hpp"

/// Updates all groups; lanes without a pair have zero weight.
template <int N>
static void updateAll(fuse_gaussian_sum set, const fuse_range &range, const double *white, fuse_range_sums *sums,
                      fuse_noise_statistics *statistics, Lanes *work) {
  const int n = N ? N : set.dimension, size = 6 + n - 2 + triangle(n);
  LaneGroup<N> group{range, n, work, Sums()};
  double best = set.count ? set.logWeights[0] : 0;
  for (int i = 1; i < set.count; ++i) best = set.logWeights[i] > best ? set.logWeights[i] : best;
  for (int first = 0; first < set.count; first += 8) {
    Lanes los = Lanes(-1e300), nlos = Lanes(-1e300), r = Lanes(1.0);
    const int filled = set.count - first < 8 ? (set.count - first) / 2 : 4;
    for (int lane = 0; lane < filled; ++lane) {
      const int i = first + 2 * lane;
      los[lane] = set.logWeights[i], nlos[lane] = set.logWeights[i + 1], r[lane] = white[set.noise[i]];
    }
    const auto result = group.update(lanes(set.cells) + first / 4 * size, los, nlos, best, r);
    for (int lane = 0; lane < filled; ++lane) {
      const int i = first + 2 * lane;
      auto weight = [&](double after) { return result.scale[lane] + std::log(after > 1e-300 ? after : 1e-300); };
      set.logWeights[i] = weight(result.los[lane]), set.logWeights[i + 1] = weight(result.nlos[lane]);
      fuse_noise_statistics &all = statistics[set.noise[i]];
      all.weight += result.statistics.weight[lane];
      all.degrees += result.statistics.degrees[lane];
      all.change += result.statistics.change[lane];
    }
  }
  const Sums &s = group.sums;
  *sums = {sum(s.innovation), sum(s.variance), sum(s.regular), sum(s.after), sum(s.before)};
}

void update(fuse_gaussian_sum set, const fuse_range &range, const double *white, fuse_range_sums *sums,
            fuse_noise_statistics *statistics, double *workspace) {
  Lanes *work = lanes(workspace);
  switch (set.dimension) {
    // One antenna, and a stationary or a moving peer.
    case 7: return updateAll<7>(set, range, white, sums, statistics, work);
    case 10: return updateAll<10>(set, range, white, sums, statistics, work);
    default: return updateAll<0>(set, range, white, sums, statistics, work);
  }
}

/// Calls `body` with every cell and its first component; the others follow in steps of two.
template <int N, typename Body>
static void forEachCell(fuse_gaussian_sum set, Body body) {
  const int n = N ? N : set.dimension, size = 6 + n - 2 + triangle(n);
  for (int cell = 0; cell < (set.count + 7) / 8 * 2; ++cell)
    body(Cell<N>{lanes(set.cells) + cell * size, n}, cell / 2 * 8 + cell % 2);
}

template <int N>
static void forgetAll(fuse_gaussian_sum set, const fuse_forgetting &step) {
  forEachCell<N>(set, [&](Cell<N> cell, int first) {
    Lanes phi = Lanes(1.0), newVariance = Lanes(0.0);
    for (int lane = 0; lane < 4 && first + 2 * lane < set.count; ++lane) {
      const int noise = set.noise[first + 2 * lane];
      phi[lane] = step.decay[noise], newVariance[lane] = step.newVariance[noise];
    }
    Lanes *p = cell.covariance(), *x = cell.scalars();
    for (int a = step.first; a < step.first + step.antennas; ++a) {
      x[a - 2] *= phi;
      for (int k = 0; k <= a; ++k) p[triangle(a) + k] *= phi;
      for (int k = a; k < cell.n(); ++k) p[triangle(k) + a] *= phi;
      for (int b = step.first; b < a; ++b) p[triangle(a) + b] += step.correlation * newVariance;
      p[triangle(a) + a] += newVariance;
    }
  });
}

void forget(fuse_gaussian_sum set, const fuse_forgetting &step) {
  switch (set.dimension) {
    case 7: return forgetAll<7>(set, step);
    case 10: return forgetAll<10>(set, step);
    default: return forgetAll<0>(set, step);
  }
}

void drift(fuse_gaussian_sum set, const fuse_path_drift &lost) {
  const double *m = lost.position;
  auto row = [&](int r) { return Vector(Lanes(m[3 * r]), Lanes(m[3 * r + 1]), Lanes(m[3 * r + 2])); };
  const Vector rows[3] = {row(0), row(1), row(2)};
  const Vector from(Lanes(lost.from[0]), Lanes(lost.from[1]), Lanes(lost.from[2]));
  forEachCell<0>(set, [&](Cell<0> cell, int) {
    const Vector u(cell.at), e1(cell.tangent()), e2 = u.cross(e1);
    Lanes *p = cell.covariance();
    const Lanes rho = cell.scalars()[0], inverse = 1.0 / atLeast(rho, 0.1);
    // The Jacobian's columns are orthogonal, so its inverse only scales.
    const Vector d = from + rho * u, rotated(-d.y, d.x, Lanes(0.0));
    const Lanes g0 = rotated.dot(e1) * inverse, g1 = rotated.dot(e2) * inverse, g2 = rotated.dot(u);
    auto spread = [&](Vector v) { return Vector(rows[0].dot(v), rows[1].dot(v), rows[2].dot(v)); };
    const Vector lost0 = spread(e1), lost1 = spread(e2), lost2 = spread(u);
    p[0] += lost.yawVariance * g0 * g0 + lost0.dot(e1) * inverse * inverse;
    p[1] += lost.yawVariance * g1 * g0 + lost1.dot(e1) * inverse * inverse;
    p[2] += lost.yawVariance * g1 * g1 + lost1.dot(e2) * inverse * inverse;
    p[3] += lost.yawVariance * g2 * g0 + lost2.dot(e1) * inverse;
    p[4] += lost.yawVariance * g2 * g1 + lost2.dot(e2) * inverse;
    p[5] += lost.yawVariance * g2 * g2 + lost2.dot(u);
  });
}

void curvatures(fuse_gaussian_sum set, const double *from, double *curvatures) {
  forEachCell<0>(set, [&](Cell<0> cell, int first) {
    Lanes b1, b2;
    RangeDerivatives(Vector(cell.at), Vector(cell.tangent()), cell.scalars()[0], from)
        .curvatures(cell.covariance(), b1, b2);
    for (int lane = 0; lane < 4 && first + 2 * lane < set.count; ++lane) {
      curvatures[2 * (first + 2 * lane)] = b1[lane], curvatures[2 * (first + 2 * lane) + 1] = b2[lane];
    }
  });
}

template <NLOSBias nlosBias>
static void predict(Cell<0> cell, int lane, const fuse_range &range, double *row, double *variance, Lanes *work) {
  const int n = cell.n();
  LOSTransition<0, nlosBias> transition(cell, Lanes(0.0), range, work);
  const PredictedRange<0> predicted(transition.direction, transition.tangent, transition.x[0], transition.x[2], cell,
                                    range, transition.ph);
  *variance = transition.withNLOSBias(predicted, range)[lane];
  for (int k = 0; k < n; ++k) row[k] = 0;
  row[0] = predicted.h0[lane], row[1] = predicted.h1[lane], row[2] = predicted.h2[lane];
  row[3] = 1, row[4] = predicted.row.distance[lane], row[range.coloured] = 1;
  if (range.constant >= 0) row[range.constant] = 1;
  row[n - 1] = nlosBias == NLOSBias::kept ? 1 : 0;
}

void predict(fuse_gaussian_sum set, int i, const fuse_range &range, double *row, double *variance, double *work) {
  const int n = set.dimension, size = 6 + n - 2 + triangle(n), lane = i / 2 % 4;
  const Cell<0> cell{lanes(set.cells) + (i / 8 * 2 + i % 2) * size, n};
  if (i % 2) {
    predict<NLOSBias::kept>(cell, lane, range, row, variance, lanes(work));
  } else {
    predict<NLOSBias::none>(cell, lane, range, row, variance, lanes(work));
  }
}
