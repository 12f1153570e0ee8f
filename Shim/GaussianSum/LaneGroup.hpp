// Part of the kernel: included once for each kind of processor, after Names.hpp.

#include "LOSTransition.hpp"

/// Weighted sums over pairs and transitions.
struct Sums {
  Lanes innovation = Lanes(0.0), variance = Lanes(0.0), regular = Lanes(0.0), after = Lanes(0.0), before = Lanes(0.0);
};

/// Of one group: what `fuse_noise_statistics` says, lane by lane.
struct NoiseStatistics {
  Lanes weight = Lanes(0.0), degrees = Lanes(0.0), change = Lanes(0.0);
};

/// Share of the best hypothesis' below which a transition is not worked out.
constexpr double negligible = 1e-8;

/// The mean of two transitions into a cell, the difference of their states into `offset`; returns the weight of the second.
template <int N, NLOSBias A, NLOSBias B>
static Lanes mergeStates(const LOSTransition<N, A> &a, const LOSTransition<N, B> &b, Cell<N> cell, Lanes *offset) {
  const Mask swapped = b.weight > a.weight;
  const Lanes heavy = replace(a.weight, b.weight, swapped), light = replace(b.weight, a.weight, swapped);
  Lanes w = light / atLeast(heavy + light, 1e-300);
  w = replace(w, Lanes(0.0), w <= Lanes(1e-9));
  Vector u = a.direction.replaced(b.direction, swapped), e1 = a.tangent.replaced(b.tangent, swapped);
  const Vector other = b.direction.replaced(a.direction, swapped);
  offset[0] = e1.dot(other);
  offset[1] = u.cross(e1).dot(other);
  for (int k = 2; k < cell.n(); ++k) {
    const Lanes x = a.x[k - 2], y = b.x[k - 2];
    offset[k] = replace(y - x, x - y, swapped);
    cell.scalars()[k - 2] = replace(x, y, swapped) + w * offset[k];
  }
  move(u, e1, w * offset[0], w * offset[1]);
  u.store(cell.at);
  e1.store(cell.tangent());
  return replace(w, 1.0 - w, swapped);
}

/// Bayes' rule for one group, in place: every pair in its four transitions, and the transitions that end alike merged afterwards.
template <int N>
struct LaneGroup {
  const fuse_range &range;
  int n;
  Lanes *work;
  Sums sums;

  /// Weights of the halves after the range relative to `exp(scale)`, and what is told of the white noise.
  struct Result {
    Lanes scale, los, nlos;
    NoiseStatistics statistics;
  };

  Result update(Lanes *cells, Lanes logLOS, Lanes logNLOS, double best, Lanes white) {
    const Cell<N> los{cells, n}, nlos{cells + 6 + n - 2 + triangle(n), n};
    Result result;
    result.scale = replace(logLOS, logNLOS, logNLOS > logLOS);
    const Lanes pair = exponential(result.scale - best);
    const Lanes wf = exponential(logLOS - result.scale), wb = exponential(logNLOS - result.scale);
    sums.before += pair * (wf + wb);
    nlos.nlosBias()[n - 1] += range.widening;
    LOSTransition<N, NLOSBias::none> stays(los, wf * (1 - range.lost), range, work);
    LOSTransition<N, NLOSBias::none> clears(nlos, wb * range.back, range, work + 2 * n);
    LOSTransition<N, NLOSBias::kept> lasts(nlos, wb * (1 - range.back), range, work + 4 * n);
    LOSTransition<N, NLOSBias::fresh> begins(los, wf * range.lost, range, work + 6 * n);
    const Lanes r = white + range.extra;
    const Mask ofLOS = matters(stays.weight, pair) | matters(begins.weight, pair);
    const Mask ofNLOS = matters(clears.weight, pair) | matters(lasts.weight, pair);
    Lanes *phLOS = work + 8 * n, *phNLOS = work + 9 * n;
    // Two transitions begin where one half is, and see the range alike. To what does not matter it is as outlier as to what does, and one half tells how outlier.
    Lanes outlier = Lanes(1.0);
    const bool isLOSPredicted = any(ofLOS) || !any(ofNLOS);
    if (isLOSPredicted) {
      const PredictedRange<N> predicted(stays.direction, stays.tangent, stays.x[0], stays.x[2], los, range, phLOS);
      outlier = Likelihood::ofOutlier(stays.innovation(predicted.row, range), predicted.variance + r, range);
      assimilate(stays, predicted, phLOS, pair, r, outlier, &white, result.statistics);
      assimilate(begins, predicted, phLOS, pair, r + range.flutter, outlier, nullptr, result.statistics);
    }
    if (any(ofNLOS)) {
      const PredictedRange<N> predicted(clears.direction, clears.tangent, clears.x[0], clears.x[2], nlos, range, phNLOS);
      if (!isLOSPredicted) outlier = Likelihood::ofOutlier(clears.innovation(predicted.row, range), predicted.variance + r, range);
      assimilate(clears, predicted, phNLOS, pair, r, outlier, &white, result.statistics);
      assimilate(lasts, predicted, phNLOS, pair, r + range.flutter, outlier, nullptr, result.statistics);
    } else {
      clears.setIrrelevant(outlier), lasts.setIrrelevant(outlier);
    }
    if (!isLOSPredicted) stays.setIrrelevant(outlier), begins.setIrrelevant(outlier);
    merge(stays, clears, lasts, begins, los, nlos);
    result.los = stays.weight + clears.weight;
    result.nlos = lasts.weight + begins.weight;
    return result;
  }

  static Mask matters(Lanes weight, Lanes pair) {
    return (weight > Lanes(1e-9)) & (weight * pair > Lanes(negligible));
  }

  /// What cannot matter is not worked out: neither within the pair nor beside the best of all.
  template <NLOSBias nlosBias>
  void assimilate(LOSTransition<N, nlosBias> &transition, const PredictedRange<N> &predicted, const Lanes *ph, Lanes pair, Lanes noise, Lanes outlier,
                  const Lanes *white, NoiseStatistics &statistics) {
    const Mask active = matters(transition.weight, pair);
    if (!any(active)) return transition.setIrrelevant(outlier);
    const Outcome outcome = transition.assimilate(predicted, ph, range, noise, active, outlier);
    const Lanes posterior = replace(transition.weight * pair, Lanes(0.0), ~active);
    sums.innovation += posterior * replace(outcome.innovation, Lanes(0.0), ~active);
    sums.variance += posterior * replace(outcome.variance, Lanes(0.0), ~active);
    sums.regular += posterior * replace(outcome.responsibility, Lanes(0.0), ~active);
    sums.after += posterior;
    statistics.weight += posterior;
    if (!white) return;
    const Lanes part = *white / outcome.variance;
    const Mask nothing = posterior <= Lanes(0.0);
    const Lanes weight = replace(posterior * outcome.responsibility * part * part, Lanes(0.0), nothing);
    const Lanes change = outcome.innovation * outcome.innovation - outcome.variance;
    statistics.degrees += weight;
    statistics.change += weight * replace(change, Lanes(0.0), nothing);
  }

  /// Makes the transitions that end alike one Gaussian each, with the mean and covariance of both, in the tangent plane of the heavier.
  void merge(const LOSTransition<N, NLOSBias::none> &a, const LOSTransition<N, NLOSBias::none> &b, const LOSTransition<N, NLOSBias::kept> &g,
             const LOSTransition<N, NLOSBias::fresh> &h, Cell<N> los, Cell<N> nlos) {
    Lanes *d = work + 10 * n, *f = work + 11 * n;
    const Lanes v = mergeStates(a, b, los, d), w = mergeStates(g, h, nlos, f);
    Lanes *p = los.covariance(), *q = nlos.covariance();
    int at = 0;
    for (int r = 0; r < n - 1; ++r) {
      const Lanes ar = (1.0 - v) * a.k * a.ph[r], br = v * b.k * b.ph[r], dr = v * (1.0 - v) * d[r];
      const Lanes gr = (1.0 - w) * g.k * g.ph[r], hr = w * h.k * h.ph[r], fr = w * (1.0 - w) * f[r];
      for (int c = 0; c <= r; ++c, ++at) {
        const Lanes x = p[at], y = q[at];
        p[at] = (1.0 - v) * x + v * y - ar * a.ph[c] - br * b.ph[c] + dr * d[c];
        q[at] = (1.0 - w) * y + w * x - gr * g.ph[c] - hr * h.ph[c] + fr * f[c];
      }
    }
    // The nlosBias: kept by the predicted that was nlos, new and apart from everything else for the other.
    const int r = n - 1;
    const Lanes gr = (1.0 - w) * g.k * g.ph[r], hr = w * h.k * h.ph[r], fr = w * (1.0 - w) * f[r];
    for (int c = 0; c <= r; ++c) q[at + c] = (1.0 - w) * q[at + c] - gr * g.ph[c] - hr * h.ph[c] + fr * f[c];
    q[at + r] += w * h.fresh;
  }
};
