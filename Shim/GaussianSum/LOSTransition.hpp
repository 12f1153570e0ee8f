// Part of the kernel: included once for each kind of processor, after Names.hpp.

#include "Likelihood.hpp"
#include "PredictedRange.hpp"

/// What a transition found.
struct Outcome {
  Lanes innovation, variance, responsibility;
};

/// What there is of the nlosBias: none with a los predicted, the one that the half it comes from has, or a new one apart from all else.
enum class NLOSBias { none, kept, fresh };

/// One of the four transitions in which the predicted of a pair can go at a range: from which half it comes, in which it ends, and Bayes' rule on it.
///
/// The covariance is not touched: `P' = P - k (P h)(P h)^T` is worked out when the transitions that end alike are merged.
template <int N, NLOSBias nlosBias>
struct LOSTransition {
  Cell<N> cell;
  /// Weights within the pair; updates multiply them by likelihoods.
  Lanes weight;
  Vector direction, tangent;
  /// n - 2 and n lanes.
  Lanes *x, *ph;
  /// `1 / (h^T P h + R)`; zero where nothing is moved.
  Lanes k = Lanes(0.0);
  /// Variance of a new nlosBias, m^2.
  Lanes fresh = Lanes(0.0);

  LOSTransition(Cell<N> cell, Lanes weight, const fuse_range &range, Lanes *work)
      : cell(cell), weight(weight), direction(cell.at), tangent(cell.tangent()), x(work), ph(work + cell.n()) {
    for (int c = 0; c < cell.n() - 2; ++c) x[c] = cell.scalars()[c];
    if (nlosBias == NLOSBias::none) x[cell.n() - 3] = Lanes(0.0);
    if (nlosBias == NLOSBias::fresh) x[cell.n() - 3] = Lanes(range.nlosMean), fresh = Lanes(range.nlosVariance);
  }

  /// The transition does not matter: nothing is moved, and the range counts as a outlier error of density `outlier`. Left as heavy as it was, it
  /// would outweigh all others as soon as a range is outlier to them.
  void setIrrelevant(Lanes outlier) {
    weight *= outlier;
    for (int r = 0; r < cell.n(); ++r) ph[r] = Lanes(0.0);
  }

  /// By how much the range is off what is foretold for it, metres.
  Lanes innovation(const RangeDerivatives &row, const fuse_range &range) const {
    Lanes biases = x[1] + x[range.coloured - 2] + x[cell.n() - 3];
    if (range.constant >= 0) biases += x[range.constant - 2];
    return range.range - row.distance * (1.0 + x[2]) - biases;
  }

  /// What the nlosBias adds to `P h` and to `h^T P h`.
  Lanes withNLOSBias(const PredictedRange<N> &predicted, const fuse_range &range) {
    const int last = cell.n() - 1;
    Lanes variance = predicted.variance;
    if (nlosBias == NLOSBias::none) ph[last] = Lanes(0.0);
    if (nlosBias == NLOSBias::fresh) {
      ph[last] = fresh;
      variance += fresh;
    }
    if (nlosBias == NLOSBias::kept) {
      const Lanes *own = cell.nlosBias();
      const Lanes cross = predicted.form(own, range);
      for (int r = 0; r < last; ++r) ph[r] += own[r];
      ph[last] = cross + own[last];
      variance += cross + ph[last];
    }
    return atLeast(variance, 0);
  }

  /// Probability that the nlosBias is positive, after a gain of `k` has narrowed it.
  Lanes positiveBiasProbability(Mask mask) const {
    if (nlosBias == NLOSBias::none) return Lanes(1.0);
    const int last = cell.n() - 1;
    Lanes variance = nlosBias == NLOSBias::kept ? cell.nlosBias()[last] : fresh;
    variance -= k * ph[last] * ph[last];
    // A number that is known is taken as given.
    const Mask known = variance <= Lanes(0.0);
    const Lanes weight = normalShare(x[last - 2] / root(replace(variance, Lanes(1.0), known)));
    return replace(weight, Lanes(1.0), known | ~mask);
  }

  /// The Kalman update, iterated once where the range curvatures, weighted down by the probability of a outlier error
  /// (`R / p(regular)`); the weight is multiplied by the likelihood. An nlosBias cannot be negative: the evidence for a normal
  /// distribution cut at zero is that for the whole one times the ratio of the shares above zero after and before.
  ///
  /// Source of the iterated update: Bell and Cathey, IEEE TAC 38(2), 1993, doi:10.1109/9.250476.
  ///
  /// `seen`: the range from the half that the transition comes from, with its `P h`. To pairs out of `active` the transition does not matter (`setIrrelevant`).
  Outcome assimilate(const PredictedRange<N> &seen, const Lanes *seenPh, const fuse_range &range, Lanes noiseVariance, Mask active,
                     Lanes outlier) {
    const int n = cell.n();
    for (int r = 0; r < n - 1; ++r) ph[r] = seenPh[r];
    RangeDerivatives row = seen.row;
    Lanes variance = withNLOSBias(seen, range);
    Lanes innovation = this->innovation(row, range);
    Likelihood likelihood(innovation, variance + noiseVariance, range);
    if (nlosBias == NLOSBias::fresh) considerLongNLOSBias(likelihood, variance, innovation, noiseVariance, range);
    const Outcome outcome{innovation, variance + noiseVariance, likelihood.responsibility()};
    weight = weight * replace(outlier, likelihood.total(), active);
    const Mask moved = active & (outcome.responsibility > Lanes(0.02));
    const Lanes noise = noiseVariance / atLeast(outcome.responsibility, 0.02);
    const Lanes positive = positiveBiasProbability(moved);

    Lanes curvature1, curvature2;
    row.curvatures(cell.covariance(), curvature1, curvature2);
    const Lanes curvature = replace(curvature1, curvature2, curvature2 > curvature1);
    const Mask curved = moved & (curvature * curvature > 0.01 * outcome.variance);
    if (any(curved)) {
      // A second pass at the updated point: z - h(x1) - H (x0 - x1), the biases being linear.
      const Lanes gain = replace(innovation / (variance + noise), Lanes(0.0), ~curved);
      const Lanes d0 = ph[0] * gain, d1 = ph[1] * gain, d2 = ph[2] * gain;
      Vector u = direction, e1 = tangent;
      move(u, e1, d0, d1);
      const PredictedRange<N> again(u, e1, atLeast(x[0] + d2, nearest), x[2], cell, range, ph);
      row = again.row;
      variance = withNLOSBias(again, range);
      const Lanes scale = 1.0 + x[2];
      innovation = this->innovation(row, range) + scale * (row.alpha1 * d0 + row.alpha2 * d1 + row.rho * d2);
    }

    k = replace(1.0 / (variance + noise), Lanes(0.0), ~moved);
    const Lanes gain = replace(k * innovation, Lanes(0.0), ~moved);
    move(direction, tangent, ph[0] * gain, ph[1] * gain);
    for (int c = 2; c < n; ++c) x[c - 2] += ph[c] * gain;
    x[0] = atLeast(x[0], nearest);
    weight *= positiveBiasProbability(moved) / positive;
    return outcome;
  }

  /// Only who is surprised by a new nlosBias asks whether it is one of the long ones.
  void considerLongNLOSBias(Likelihood &likelihood, Lanes &variance, Lanes innovation, Lanes r, const fuse_range &range) {
    likelihood.weight(Lanes(1 - range.longNLOSProbability));
    const Mask surprised = (innovation > Lanes(0.0)) & (innovation * innovation > variance + r);
    if (!any(surprised)) return;
    const Lanes wider = variance + (range.longNLOSVariance - range.nlosVariance);
    Likelihood far(innovation, wider + r, range);
    far.weight(replace(Lanes(0.0), Lanes(range.longNLOSProbability), surprised));
    const Mask isFar = far.regular > likelihood.regular;
    likelihood.regular = likelihood.regular + far.regular;
    likelihood.outlier = likelihood.outlier + far.outlier;
    fresh = replace(fresh, Lanes(range.longNLOSVariance), isFar);
    ph[cell.n() - 1] = fresh;
    variance = replace(variance, wider, isFar);
  }
};
