// Part of the kernel: included once for each kind of processor, after Names.hpp.

#include "Way.hpp"

/// Weighted sums over pairs and ways.
struct Sums {
  Lanes innovation = Lanes(0.0), variance = Lanes(0.0), regular = Lanes(0.0), after = Lanes(0.0), before = Lanes(0.0);
};

/// Of one group: what `fuse_noise_news` says, lane by lane.
struct News {
  Lanes share = Lanes(0.0), degrees = Lanes(0.0), change = Lanes(0.0);
};

/// Share of the best hypothesis' below which a way is not worked out.
constexpr double negligible = 1e-8;

/// The mean of two ways into a cell, the difference of their states into `offset`; returns the share of the second.
template <int N, Excess A, Excess B>
static Lanes meet(const Way<N, A> &a, const Way<N, B> &b, Cell<N> cell, Lanes *offset) {
  const Mask swapped = b.share > a.share;
  const Lanes heavy = replace(a.share, b.share, swapped), light = replace(b.share, a.share, swapped);
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

/// Bayes' rule for one group, in place: every pair in its four ways, and the ways that end alike merged afterwards.
template <int N>
struct Group {
  const fuse_range &range;
  int n;
  Lanes *work;
  Sums sums;

  /// Weights of the halves after the range relative to `exp(scale)`, and what is told of the white noise.
  struct Result {
    Lanes scale, free, blocked;
    News news;
  };

  Result update(Lanes *cells, Lanes logFree, Lanes logBlocked, double best, Lanes white) {
    const Cell<N> free{cells, n}, blocked{cells + 6 + n - 2 + triangle(n), n};
    Result result;
    result.scale = replace(logFree, logBlocked, logBlocked > logFree);
    const Lanes pair = exponential(result.scale - best);
    const Lanes wf = exponential(logFree - result.scale), wb = exponential(logBlocked - result.scale);
    sums.before += pair * (wf + wb);
    blocked.excess()[n - 1] += range.widening;
    Way<N, Excess::none> stays(free, wf * (1 - range.lost), range, work);
    Way<N, Excess::none> clears(blocked, wb * range.back, range, work + 2 * n);
    Way<N, Excess::kept> lasts(blocked, wb * (1 - range.back), range, work + 4 * n);
    Way<N, Excess::fresh> begins(free, wf * range.lost, range, work + 6 * n);
    const Lanes r = white + range.extra;
    const Mask ofFree = matters(stays.share, pair) | matters(begins.share, pair);
    const Mask ofBlocked = matters(clears.share, pair) | matters(lasts.share, pair);
    Lanes *phFree = work + 8 * n, *phBlocked = work + 9 * n;
    // Two ways begin where one half is, and see the range alike. To what does not matter it is as gross as to what does, and one half tells how gross.
    Lanes gross = Lanes(1.0);
    const bool isFreeSeen = any(ofFree) || !any(ofBlocked);
    if (isFreeSeen) {
      const Sight<N> sight(stays.direction, stays.tangent, stays.x[0], stays.x[2], free, range, phFree);
      gross = Likelihood::ofGross(stays.innovation(sight.row, range), sight.variance + r, range);
      assimilate(stays, sight, phFree, pair, r, gross, &white, result.news);
      assimilate(begins, sight, phFree, pair, r + range.flutter, gross, nullptr, result.news);
    }
    if (any(ofBlocked)) {
      const Sight<N> sight(clears.direction, clears.tangent, clears.x[0], clears.x[2], blocked, range, phBlocked);
      if (!isFreeSeen) gross = Likelihood::ofGross(clears.innovation(sight.row, range), sight.variance + r, range);
      assimilate(clears, sight, phBlocked, pair, r, gross, &white, result.news);
      assimilate(lasts, sight, phBlocked, pair, r + range.flutter, gross, nullptr, result.news);
    } else {
      clears.rest(gross), lasts.rest(gross);
    }
    if (!isFreeSeen) stays.rest(gross), begins.rest(gross);
    merge(stays, clears, lasts, begins, free, blocked);
    result.free = stays.share + clears.share;
    result.blocked = lasts.share + begins.share;
    return result;
  }

  static Mask matters(Lanes share, Lanes pair) {
    return (share > Lanes(1e-9)) & (share * pair > Lanes(negligible));
  }

  /// What cannot matter is not worked out: neither within the pair nor beside the best of all.
  template <Excess excess>
  void assimilate(Way<N, excess> &way, const Sight<N> &sight, const Lanes *ph, Lanes pair, Lanes noise, Lanes gross,
                  const Lanes *white, News &news) {
    const Mask active = matters(way.share, pair);
    if (!any(active)) return way.rest(gross);
    const Outcome outcome = way.assimilate(sight, ph, range, noise, active, gross);
    const Lanes posterior = replace(way.share * pair, Lanes(0.0), ~active);
    sums.innovation += posterior * replace(outcome.innovation, Lanes(0.0), ~active);
    sums.variance += posterior * replace(outcome.variance, Lanes(0.0), ~active);
    sums.regular += posterior * replace(outcome.responsibility, Lanes(0.0), ~active);
    sums.after += posterior;
    news.share += posterior;
    if (!white) return;
    const Lanes part = *white / outcome.variance;
    const Mask nothing = posterior <= Lanes(0.0);
    const Lanes weight = replace(posterior * outcome.responsibility * part * part, Lanes(0.0), nothing);
    const Lanes change = outcome.innovation * outcome.innovation - outcome.variance;
    news.degrees += weight;
    news.change += weight * replace(change, Lanes(0.0), nothing);
  }

  /// Makes the ways that end alike one Gaussian each, with the mean and covariance of both, in the tangent plane of the heavier.
  void merge(const Way<N, Excess::none> &a, const Way<N, Excess::none> &b, const Way<N, Excess::kept> &g,
             const Way<N, Excess::fresh> &h, Cell<N> free, Cell<N> blocked) {
    Lanes *d = work + 10 * n, *f = work + 11 * n;
    const Lanes v = meet(a, b, free, d), w = meet(g, h, blocked, f);
    Lanes *p = free.covariance(), *q = blocked.covariance();
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
    // The excess: kept by the sight that was blocked, new and apart from everything else for the other.
    const int r = n - 1;
    const Lanes gr = (1.0 - w) * g.k * g.ph[r], hr = w * h.k * h.ph[r], fr = w * (1.0 - w) * f[r];
    for (int c = 0; c <= r; ++c) q[at + c] = (1.0 - w) * q[at + c] - gr * g.ph[c] - hr * h.ph[c] + fr * f[c];
    q[at + r] += w * h.fresh;
  }
};
