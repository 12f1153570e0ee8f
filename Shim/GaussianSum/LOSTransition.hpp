// Part of the kernel: included once for each kind of processor, after Names.hpp.

#include "Likelihood.hpp"
#include "PredictedRange.hpp"

/// Innovation (m), its variance (m^2), and the posterior probability of an inlier.
struct Outcome {
  Lanes innovation, variance, responsibility;
};

/// NLOS bias of a transition: none under LOS, kept from the previous NLOS state, or initial and independent of the
/// other states.
enum class NLOSBias { none, kept, initial };

/// One of the four LOS/NLOS transitions of a pair at a range: the initial and the final mode, and the measurement
/// update.
///
/// The covariance is not modified: `P' = P - k (P h)(P h)^T` is evaluated when the transitions with one final mode are
/// merged.
template <int N, NLOSBias nlosBias>
struct LOSTransition {
  Cell<N> cell;
  /// Weights within the pair; updates multiply them by likelihoods.
  Lanes weight;
  Vector direction, tangent;
  /// n - 2 and n lanes.
  Lanes *x, *ph;
  /// `1 / (h^T P h + R)`; zero without an update.
  Lanes k = Lanes(0.0);
  /// Variance of an initial NLOS bias, m^2.
  Lanes newBiasVariance = Lanes(0.0);

  LOSTransition(Cell<N> cell, Lanes weight, const fuse_range &range, Lanes *work)
      : cell(cell), weight(weight), direction(cell.at), tangent(cell.tangent()), x(work), ph(work + cell.n()) {
    for (int c = 0; c < cell.n() - 2; ++c) x[c] = cell.scalars()[c];
    if (nlosBias == NLOSBias::none) x[cell.n() - 3] = Lanes(0.0);
    if (nlosBias == NLOSBias::initial) x[cell.n() - 3] = Lanes(range.nlosMean),
                                      newBiasVariance = Lanes(range.nlosVariance);
  }

  /// Marks the transition as negligible: no update, and the range counts as an outlier of density `outlier`. With an
  /// unchanged weight it would outweigh all others at a range that is an outlier to them.
  void setIrrelevant(Lanes outlier) {
    weight *= outlier;
    for (int r = 0; r < cell.n(); ++r) ph[r] = Lanes(0.0);
  }

  /// Innovation of the range, metres.
  Lanes innovation(const RangeDerivatives &row, const fuse_range &range) const {
    Lanes biases = x[1] + x[range.coloured - 2] + x[cell.n() - 3];
    if (range.constant >= 0) biases += x[range.constant - 2];
    return range.range - row.distance * (1.0 + x[2]) - biases;
  }

  /// Adds the NLOS bias to `P h` and returns `h^T P h` with it.
  Lanes withNLOSBias(const PredictedRange<N> &predicted, const fuse_range &range) {
    const int last = cell.n() - 1;
    Lanes variance = predicted.variance;
    if (nlosBias == NLOSBias::none) ph[last] = Lanes(0.0);
    if (nlosBias == NLOSBias::initial) {
      ph[last] = newBiasVariance;
      variance += newBiasVariance;
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

  /// Probability that the NLOS bias is positive after an update with the gain `k`.
  Lanes positiveBiasProbability(Mask mask) const {
    if (nlosBias == NLOSBias::none) return Lanes(1.0);
    const int last = cell.n() - 1;
    Lanes variance = nlosBias == NLOSBias::kept ? cell.nlosBias()[last] : newBiasVariance;
    variance -= k * ph[last] * ph[last];
    // Zero variance: a known value counts as positive.
    const Mask known = variance <= Lanes(0.0);
    const Lanes probability = clampedNormalCDF(x[last - 2] / root(replace(variance, Lanes(1.0), known)));
    return replace(probability, Lanes(1.0), known | ~mask);
  }

  /// Kalman update, iterated once where the range is curved, with the noise variance `R / p(inlier)`; the weight is
  /// multiplied by the likelihood. An NLOS bias cannot be negative: the likelihood under the truncated normal
  /// distribution is that of the whole one times the ratio of the probabilities above zero after and before.
  ///
  /// Source of the iterated update: Bell and Cathey, IEEE TAC 38(2), 1993, doi:10.1109/9.250476.
  ///
  /// `predicted`: the predicted range of the initial mode, with its `P h`. Pairs outside `active` are negligible
  /// (`setIrrelevant`).
  Outcome update(const PredictedRange<N> &predicted, const Lanes *predictedPh, const fuse_range &range,
                 Lanes noiseVariance, Mask active,
                     Lanes outlier) {
    const int n = cell.n();
    for (int r = 0; r < n - 1; ++r) ph[r] = predictedPh[r];
    RangeDerivatives row = predicted.row;
    Lanes variance = withNLOSBias(predicted, range);
    Lanes innovation = this->innovation(row, range);
    Likelihood likelihood(innovation, variance + noiseVariance, range);
    if (nlosBias == NLOSBias::initial) considerLongNLOSBias(likelihood, variance, innovation, noiseVariance, range);
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
      // Second iteration at the updated point: z - h(x1) - H (x0 - x1), the biases being linear.
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

  /// Adds the long-bias part of the prior where the innovation of an initial NLOS bias is positive and beyond 1 sigma.
  void considerLongNLOSBias(Likelihood &likelihood, Lanes &variance, Lanes innovation, Lanes r,
                            const fuse_range &range) {
    likelihood.scale(Lanes(1 - range.longNLOSProbability));
    const Mask isLongCandidate = (innovation > Lanes(0.0)) & (innovation * innovation > variance + r);
    if (!any(isLongCandidate)) return;
    const Lanes wider = variance + (range.longNLOSVariance - range.nlosVariance);
    Likelihood far(innovation, wider + r, range);
    far.scale(replace(Lanes(0.0), Lanes(range.longNLOSProbability), isLongCandidate));
    const Mask isFar = far.regular > likelihood.regular;
    likelihood.regular = likelihood.regular + far.regular;
    likelihood.outlier = likelihood.outlier + far.outlier;
    newBiasVariance = replace(newBiasVariance, Lanes(range.longNLOSVariance), isFar);
    ph[cell.n() - 1] = newBiasVariance;
    variance = replace(variance, wider, isFar);
  }
};
