// Part of the kernel: included once for each kind of processor, after Names.hpp.

#include "LOSTransition.hpp"

/// Weighted sums over pairs and transitions.
struct Sums {
  Lanes innovation = Lanes(0.0), variance = Lanes(0.0), regular = Lanes(0.0), after = Lanes(0.0), before = Lanes(0.0);
};

/// `fuse_noise_statistics` of one group, per lane.
struct NoiseStatistics {
  Lanes weight = Lanes(0.0), degrees = Lanes(0.0), change = Lanes(0.0);
};

/// Weight, relative to the best component, below which a transition is not evaluated.
constexpr double negligible = 1e-8;

/// Writes the mean of two transitions into a cell and the difference of their states into `offset`; returns the weight
/// of the second.
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

/// Measurement update of one group, in place: four transitions per pair; those with one final mode are merged
/// afterwards.
template <int N>
struct LaneGroup {
  const fuse_range &range;
  int n;
  Lanes *work;
  Sums sums;

  /// Weights of LOS and NLOS after the range relative to `exp(scale)`, and the statistics of the white noise.
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
    nlos.nlosBias()[n - 1] += range.nlosRandomWalkVariance;
    LOSTransition<N, NLOSBias::none> losToLOS(los, wf * (1 - range.losLossProbability), range, work);
    LOSTransition<N, NLOSBias::none> nlosToLOS(nlos, wb * range.losReturnProbability, range, work + 2 * n);
    LOSTransition<N, NLOSBias::kept> nlosToNLOS(nlos, wb * (1 - range.losReturnProbability), range, work + 4 * n);
    LOSTransition<N, NLOSBias::initial> losToNLOS(los, wf * range.losLossProbability, range, work + 6 * n);
    const Lanes r = white + range.extraVariance;
    const Mask ofLOS = matters(losToLOS.weight, pair) | matters(losToNLOS.weight, pair);
    const Mask ofNLOS = matters(nlosToLOS.weight, pair) | matters(nlosToNLOS.weight, pair);
    Lanes *phLOS = work + 8 * n, *phNLOS = work + 9 * n;
    // Two transitions start from one mode and share the predicted range. For negligible modes the outlier density is
    // that of the other mode.
    Lanes outlier = Lanes(1.0);
    const bool isLOSPredicted = any(ofLOS) || !any(ofNLOS);
    if (isLOSPredicted) {
      const PredictedRange<N> predicted(losToLOS.direction, losToLOS.tangent, losToLOS.x[0], losToLOS.x[2], los, range,
                                        phLOS);
      outlier = Likelihood::ofOutlier(losToLOS.innovation(predicted.row, range), predicted.variance + r, range);
      update(losToLOS, predicted, phLOS, pair, r, outlier, &white, result.statistics);
      update(losToNLOS, predicted, phLOS, pair, r + range.nlosNoiseVariance, outlier, nullptr, result.statistics);
    }
    if (any(ofNLOS)) {
      const PredictedRange<N> predicted(nlosToLOS.direction, nlosToLOS.tangent, nlosToLOS.x[0], nlosToLOS.x[2], nlos,
                                        range, phNLOS);
      if (!isLOSPredicted) outlier = Likelihood::ofOutlier(nlosToLOS.innovation(predicted.row, range),
                                                           predicted.variance + r, range);
      update(nlosToLOS, predicted, phNLOS, pair, r, outlier, &white, result.statistics);
      update(nlosToNLOS, predicted, phNLOS, pair, r + range.nlosNoiseVariance, outlier, nullptr, result.statistics);
    } else {
      nlosToLOS.setIrrelevant(outlier), nlosToNLOS.setIrrelevant(outlier);
    }
    if (!isLOSPredicted) losToLOS.setIrrelevant(outlier), losToNLOS.setIrrelevant(outlier);
    merge(losToLOS, nlosToLOS, nlosToNLOS, losToNLOS, los, nlos);
    result.los = losToLOS.weight + nlosToLOS.weight;
    result.nlos = nlosToNLOS.weight + losToNLOS.weight;
    return result;
  }

  static Mask matters(Lanes weight, Lanes pair) {
    return (weight > Lanes(1e-9)) & (weight * pair > Lanes(negligible));
  }

  /// Skips transitions that are negligible within the pair or against the best component.
  template <NLOSBias nlosBias>
  void update(LOSTransition<N, nlosBias> &transition, const PredictedRange<N> &predicted, const Lanes *ph, Lanes pair,
              Lanes noise, Lanes outlier,
                  const Lanes *white, NoiseStatistics &statistics) {
    const Mask active = matters(transition.weight, pair);
    if (!any(active)) return transition.setIrrelevant(outlier);
    const Outcome outcome = transition.update(predicted, ph, range, noise, active, outlier);
    const Lanes posterior = replace(transition.weight * pair, Lanes(0.0), ~active);
    sums.innovation += posterior * replace(outcome.innovation, Lanes(0.0), ~active);
    sums.variance += posterior * replace(outcome.variance, Lanes(0.0), ~active);
    sums.regular += posterior * replace(outcome.responsibility, Lanes(0.0), ~active);
    sums.after += posterior;
    statistics.weight += posterior;
    if (!white) return;
    const Lanes part = *white / outcome.variance;
    const Mask isZero = posterior <= Lanes(0.0);
    const Lanes weight = replace(posterior * outcome.responsibility * part * part, Lanes(0.0), isZero);
    const Lanes change = outcome.innovation * outcome.innovation - outcome.variance;
    statistics.degrees += weight;
    statistics.change += weight * replace(change, Lanes(0.0), isZero);
  }

  /// Merges the transitions with one final mode by moments, in the tangent plane of the heavier.
  void merge(const LOSTransition<N, NLOSBias::none> &a, const LOSTransition<N, NLOSBias::none> &b,
             const LOSTransition<N, NLOSBias::kept> &g,
             const LOSTransition<N, NLOSBias::initial> &h, Cell<N> los, Cell<N> nlos) {
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
    // The NLOS bias: kept from NLOS, initial and independent from LOS.
    const int r = n - 1;
    const Lanes gr = (1.0 - w) * g.k * g.ph[r], hr = w * h.k * h.ph[r], fr = w * (1.0 - w) * f[r];
    for (int c = 0; c <= r; ++c) q[at + c] = (1.0 - w) * q[at + c] - gr * g.ph[c] - hr * h.ph[c] + fr * f[c];
    q[at + r] += w * h.newBiasVariance;
  }
};
