// Part of the kernel: included once for each kind of processor, after Names.hpp.

#include "Likelihood.hpp"
#include "Sight.hpp"

/// What a way found.
struct Outcome {
  Lanes innovation, variance, responsibility;
};

/// What there is of the excess: none with a free sight, the one that the half it comes from has, or a new one apart from all else.
enum class Excess { none, kept, fresh };

/// One of the four ways in which the sight of a pair can go at a range: from which half it comes, in which it ends, and Bayes' rule on it.
///
/// The covariance is not touched: `P' = P - k (P h)(P h)^T` is worked out when the ways that end alike are merged.
template <int N, Excess excess>
struct Way {
  Cell<N> cell;
  /// Weights within the pair; updates multiply them by likelihoods.
  Lanes share;
  Vector direction, tangent;
  /// n - 2 and n lanes.
  Lanes *x, *ph;
  /// `1 / (h^T P h + R)`; zero where nothing is moved.
  Lanes k = Lanes(0.0);
  /// Variance of a new excess, m^2.
  Lanes fresh = Lanes(0.0);

  Way(Cell<N> cell, Lanes share, const fuse_range &range, Lanes *work)
      : cell(cell), share(share), direction(cell.at), tangent(cell.tangent()), x(work), ph(work + cell.n()) {
    for (int c = 0; c < cell.n() - 2; ++c) x[c] = cell.scalars()[c];
    if (excess == Excess::none) x[cell.n() - 3] = Lanes(0.0);
    if (excess == Excess::fresh) x[cell.n() - 3] = Lanes(range.excessMean), fresh = Lanes(range.excessVariance);
  }

  /// The way does not matter: nothing is moved, and the range counts as a gross error of density `gross`. Left as heavy as it was, it
  /// would outweigh all others as soon as a range is gross to them.
  void rest(Lanes gross) {
    share *= gross;
    for (int r = 0; r < cell.n(); ++r) ph[r] = Lanes(0.0);
  }

  /// By how much the range is off what is foretold for it, metres.
  Lanes innovation(const Row &row, const fuse_range &range) const {
    Lanes biases = x[1] + x[range.coloured - 2] + x[cell.n() - 3];
    if (range.constant >= 0) biases += x[range.constant - 2];
    return range.range - row.distance * (1.0 + x[2]) - biases;
  }

  /// What the excess adds to `P h` and to `h^T P h`.
  Lanes withExcess(const Sight<N> &sight, const fuse_range &range) {
    const int last = cell.n() - 1;
    Lanes variance = sight.variance;
    if (excess == Excess::none) ph[last] = Lanes(0.0);
    if (excess == Excess::fresh) {
      ph[last] = fresh;
      variance += fresh;
    }
    if (excess == Excess::kept) {
      const Lanes *own = cell.excess();
      const Lanes cross = sight.form(own, range);
      for (int r = 0; r < last; ++r) ph[r] += own[r];
      ph[last] = cross + own[last];
      variance += cross + ph[last];
    }
    return atLeast(variance, 0);
  }

  /// Probability that the excess is positive, after a gain of `k` has narrowed it.
  Lanes positiveExcess(Mask mask) const {
    if (excess == Excess::none) return Lanes(1.0);
    const int last = cell.n() - 1;
    Lanes variance = excess == Excess::kept ? cell.excess()[last] : fresh;
    variance -= k * ph[last] * ph[last];
    // A number that is known is taken as given.
    const Mask known = variance <= Lanes(0.0);
    const Lanes share = normalShare(x[last - 2] / root(replace(variance, Lanes(1.0), known)));
    return replace(share, Lanes(1.0), known | ~mask);
  }

  /// The Kalman update, iterated once where the range bends, weighted down by the probability of a gross error
  /// (`R / p(regular)`); the share is multiplied by the likelihood. An excess cannot be negative: the evidence for a normal
  /// distribution cut at zero is that for the whole one times the ratio of the shares above zero after and before.
  ///
  /// Source of the iterated update: Bell and Cathey, IEEE TAC 38(2), 1993, doi:10.1109/9.250476.
  ///
  /// `seen`: the range from the half that the way comes from, with its `P h`. To pairs out of `active` the way does not matter (`rest`).
  Outcome assimilate(const Sight<N> &seen, const Lanes *seenPh, const fuse_range &range, Lanes noiseVariance, Mask active,
                     Lanes gross) {
    const int n = cell.n();
    for (int r = 0; r < n - 1; ++r) ph[r] = seenPh[r];
    Row row = seen.row;
    Lanes variance = withExcess(seen, range);
    Lanes innovation = this->innovation(row, range);
    Likelihood likelihood(innovation, variance + noiseVariance, range);
    if (excess == Excess::fresh) askForLongExcess(likelihood, variance, innovation, noiseVariance, range);
    const Outcome outcome{innovation, variance + noiseVariance, likelihood.responsibility()};
    share = share * replace(gross, likelihood.total(), active);
    const Mask moved = active & (outcome.responsibility > Lanes(0.02));
    const Lanes noise = noiseVariance / atLeast(outcome.responsibility, 0.02);
    const Lanes positive = positiveExcess(moved);

    Lanes bend1, bend2;
    row.bends(cell.covariance(), bend1, bend2);
    const Lanes bend = replace(bend1, bend2, bend2 > bend1);
    const Mask curved = moved & (bend * bend > 0.01 * outcome.variance);
    if (any(curved)) {
      // A second pass at the updated point: z - h(x1) - H (x0 - x1), the biases being linear.
      const Lanes gain = replace(innovation / (variance + noise), Lanes(0.0), ~curved);
      const Lanes d0 = ph[0] * gain, d1 = ph[1] * gain, d2 = ph[2] * gain;
      Vector u = direction, e1 = tangent;
      move(u, e1, d0, d1);
      const Sight<N> again(u, e1, atLeast(x[0] + d2, nearest), x[2], cell, range, ph);
      row = again.row;
      variance = withExcess(again, range);
      const Lanes scale = 1.0 + x[2];
      innovation = this->innovation(row, range) + scale * (row.alpha1 * d0 + row.alpha2 * d1 + row.rho * d2);
    }

    k = replace(1.0 / (variance + noise), Lanes(0.0), ~moved);
    const Lanes gain = replace(k * innovation, Lanes(0.0), ~moved);
    move(direction, tangent, ph[0] * gain, ph[1] * gain);
    for (int c = 2; c < n; ++c) x[c - 2] += ph[c] * gain;
    x[0] = atLeast(x[0], nearest);
    share *= positiveExcess(moved) / positive;
    return outcome;
  }

  /// Only who is surprised by a new excess asks whether it is one of the long ones.
  void askForLongExcess(Likelihood &likelihood, Lanes &variance, Lanes innovation, Lanes r, const fuse_range &range) {
    likelihood.share(Lanes(1 - range.longExcessShare));
    const Mask surprised = (innovation > Lanes(0.0)) & (innovation * innovation > variance + r);
    if (!any(surprised)) return;
    const Lanes wider = variance + (range.longExcessVariance - range.excessVariance);
    Likelihood far(innovation, wider + r, range);
    far.share(replace(Lanes(0.0), Lanes(range.longExcessShare), surprised));
    const Mask isFar = far.regular > likelihood.regular;
    likelihood.regular = likelihood.regular + far.regular;
    likelihood.gross = likelihood.gross + far.gross;
    fresh = replace(fresh, Lanes(range.longExcessVariance), isFar);
    ph[cell.n() - 1] = fresh;
    variance = replace(variance, wider, isFar);
  }
};
