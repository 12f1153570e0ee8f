// What is done to a group of four pairs. Included by each file that compiles it for one kind of processor, inside a namespace of its own.

/// Three numbers of four hypotheses.
struct Vector {
  Lanes x, y, z;

  explicit Vector(const Lanes *p) : x(p[0]), y(p[1]), z(p[2]) {}
  Vector(Lanes x, Lanes y, Lanes z) : x(x), y(y), z(z) {}
  void store(Lanes *p) const { p[0] = x, p[1] = y, p[2] = z; }
  Lanes dot(Vector b) const { return x * b.x + y * b.y + z * b.z; }
  Vector cross(Vector b) const { return {y * b.z - z * b.y, z * b.x - x * b.z, x * b.y - y * b.x}; }
  Vector normalized() const { return (1.0 / root(dot(*this))) * *this; }
  Vector replaced(Vector b, Mask mask) const {
    return {replace(x, b.x, mask), replace(y, b.y, mask), replace(z, b.z, mask)};
  }
  friend Vector operator+(Vector a, Vector b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend Vector operator-(Vector a, Vector b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend Vector operator*(Lanes s, Vector a) { return {s * a.x, s * a.y, s * a.z}; }
};

/// Moves directions by two tangent angles and carries their bases along.
static inline void move(Vector &u, Vector &e1, Lanes alpha1, Lanes alpha2) {
  Vector moved = (u + alpha1 * e1 + alpha2 * u.cross(e1)).normalized();
  e1 = (e1 - e1.dot(moved) * moved).normalized();
  u = moved;
}

/// The distance `r = |c + rho u - p|` as a function of a hypothesis' place, and its derivatives.
///
/// With `q = (c + rho u - p) / r`: `dr/dalpha_i = rho q.e_i`, `dr/drho = q.u`, and along a tangent
/// `d2r/dalpha_i^2 = (rho^2 - (rho q.e_i)^2) / r - rho q.u`.
struct Row {
  /// Metres; metres per radian along the two tangents, and per metre along the ray; metres per square radian.
  Lanes distance, alpha1, alpha2, rho, bend1, bend2;

  Row(Vector u, Vector e1, Lanes length, const double *from) {
    Vector d = Vector(Lanes(from[0]), Lanes(from[1]), Lanes(from[2])) + length * u;
    distance = atLeast(root(d.dot(d)), 1e-6);
    Vector q = (1.0 / distance) * d;
    alpha1 = length * q.dot(e1);
    alpha2 = length * q.dot(u.cross(e1));
    rho = q.dot(u);
    bend1 = (length * length - alpha1 * alpha1) / distance - length * rho;
    bend2 = (length * length - alpha2 * alpha2) / distance - length * rho;
  }

  /// Half of the second derivatives times the tangents' variances: how far the range bends over a hypothesis, metres.
  void bends(const Lanes *covariance, Lanes &b1, Lanes &b2) const {
    b1 = 0.5 * bend1 * covariance[0], b2 = 0.5 * bend2 * covariance[2];
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
  /// Row of the excess, which is last.
  Lanes *excess() const { return covariance() + triangle(n() - 1); }
};

/// A range seen from one place of a cell, the excess left out.
template <int N>
struct Sight {
  Row row;
  /// `h^T P h`, m^2.
  Lanes variance;

  /// Fills `ph` with `P h` but for the excess, n - 1 lanes.
  Sight(Vector u, Vector e1, Lanes rho, Lanes scaleError, Cell<N> cell, const fuse_range &range, Lanes *ph)
      : row(u, e1, rho, range.from) {
    const Lanes scale = 1.0 + scaleError;
    h0 = scale * row.alpha1, h1 = scale * row.alpha2, h2 = scale * row.rho;
    const Lanes *p = cell.covariance();
    // Place, bias, scale error, coloured and constant bias.
    for (int r = 0; r < cell.n() - 1; ++r) {
      auto entry = [&](int c) { return c <= r ? p[triangle(r) + c] : p[triangle(c) + r]; };
      Lanes sum = h0 * entry(0) + h1 * entry(1) + h2 * entry(2) + entry(3) + row.distance * entry(4);
      sum += entry(range.coloured);
      if (range.constant >= 0) sum += entry(range.constant);
      ph[r] = sum;
    }
    variance = form(ph, range);
  }

  /// `h^T v`, the excess left out.
  Lanes form(const Lanes *v, const fuse_range &range) const {
    Lanes sum = h0 * v[0] + h1 * v[1] + h2 * v[2] + v[3] + row.distance * v[4] + v[range.coloured];
    return range.constant >= 0 ? sum + v[range.constant] : sum;
  }

  Lanes h0, h1, h2;
};

/// How likely innovations are: by the model, or as one of a few gross errors (Cauchy's density); densities times their shares, 1/m.
struct Likelihood {
  Lanes regular, gross;

  Likelihood(Lanes innovation, Lanes variance, const fuse_range &range) {
    const Lanes normal = exponential(-0.5 * innovation * innovation / variance) / root(2 * pi * variance);
    regular = (1 - range.grossShare) * normal;
    gross = ofGross(innovation, variance, range);
  }

  static Lanes ofGross(Lanes innovation, Lanes variance, const fuse_range &range) {
    const Lanes square = variance + range.grossSpread * range.grossSpread;
    return range.grossShare * root(square) / (pi * (square + innovation * innovation));
  }

  /// Of one part of a mixture, with its share of the whole.
  void share(Lanes share) { regular = share * regular, gross = share * gross; }
  /// Never zero.
  Lanes total() const { return atLeast(regular + gross, 1e-300); }
  /// Probability that the range follows the model.
  Lanes responsibility() const { return regular / total(); }
};

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

/// Weighted sums over pairs and ways.
struct Sums {
  Lanes innovation = Lanes(0.0), variance = Lanes(0.0), regular = Lanes(0.0), after = Lanes(0.0), before = Lanes(0.0);
};

/// Of one group: what `fuse_noise_news` says, lane by lane.
struct News {
  Lanes share = Lanes(0.0), degrees = Lanes(0.0), change = Lanes(0.0);
};

/// Share of the best hypothesis' below which a way is left as it is.
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
    // Two ways begin where one half is, and see the range alike. To what does not matter it is as gross as to what does.
    Lanes gross = Lanes(1.0);
    if (any(ofFree)) {
      const Sight<N> sight(stays.direction, stays.tangent, stays.x[0], stays.x[2], free, range, phFree);
      gross = Likelihood::ofGross(stays.innovation(sight.row, range), sight.variance + r, range);
      assimilate(stays, sight, phFree, pair, r, gross, &white, result.news);
      assimilate(begins, sight, phFree, pair, r + range.flutter, gross, nullptr, result.news);
    }
    if (any(ofBlocked)) {
      const Sight<N> sight(clears.direction, clears.tangent, clears.x[0], clears.x[2], blocked, range, phBlocked);
      if (!any(ofFree)) gross = Likelihood::ofGross(clears.innovation(sight.row, range), sight.variance + r, range);
      assimilate(clears, sight, phBlocked, pair, r, gross, &white, result.news);
      assimilate(lasts, sight, phBlocked, pair, r + range.flutter, gross, nullptr, result.news);
    }
    if (!any(ofFree)) stays.rest(gross), begins.rest(gross);
    if (!any(ofBlocked)) clears.rest(gross), lasts.rest(gross);
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

/// All groups; lanes without a pair weigh nothing.
template <int N>
static void updateAll(fuse_hypotheses set, const fuse_range &range, const double *white, fuse_range_sums *sums,
                      fuse_noise_news *news, Lanes *work) {
  const int n = N ? N : set.dimension, size = 6 + n - 2 + triangle(n);
  Group<N> group{range, n, work, Sums()};
  double best = set.count ? set.logWeights[0] : 0;
  for (int i = 1; i < set.count; ++i) best = set.logWeights[i] > best ? set.logWeights[i] : best;
  for (int first = 0; first < set.count; first += 8) {
    Lanes free = Lanes(-1e300), blocked = Lanes(-1e300), r = Lanes(1.0);
    const int filled = set.count - first < 8 ? (set.count - first) / 2 : 4;
    for (int lane = 0; lane < filled; ++lane) {
      const int i = first + 2 * lane;
      free[lane] = set.logWeights[i], blocked[lane] = set.logWeights[i + 1], r[lane] = white[set.noise[i]];
    }
    const auto result = group.update(lanes(set.cells) + first / 4 * size, free, blocked, best, r);
    for (int lane = 0; lane < filled; ++lane) {
      const int i = first + 2 * lane;
      auto weight = [&](double after) { return result.scale[lane] + std::log(after > 1e-300 ? after : 1e-300); };
      set.logWeights[i] = weight(result.free[lane]), set.logWeights[i + 1] = weight(result.blocked[lane]);
      fuse_noise_news &told = news[set.noise[i]];
      told.share += result.news.share[lane];
      told.degrees += result.news.degrees[lane];
      told.change += result.news.change[lane];
    }
  }
  const Sums &s = group.sums;
  *sums = {sum(s.innovation), sum(s.variance), sum(s.regular), sum(s.after), sum(s.before)};
}

void update(fuse_hypotheses set, const fuse_range &range, const double *white, fuse_range_sums *sums, fuse_noise_news *news,
            double *room) {
  Lanes *work = lanes(room);
  switch (set.dimension) {
    // One antenna, and a peer that stands or walks.
    case 7: return updateAll<7>(set, range, white, sums, news, work);
    case 10: return updateAll<10>(set, range, white, sums, news, work);
    default: return updateAll<0>(set, range, white, sums, news, work);
  }
}

/// Calls `body` with every cell and its first hypothesis; the others follow by twos.
template <int N, typename Body>
static void forEachCell(fuse_hypotheses set, Body body) {
  const int n = N ? N : set.dimension, size = 6 + n - 2 + triangle(n);
  for (int cell = 0; cell < (set.count + 7) / 8 * 2; ++cell)
    body(Cell<N>{lanes(set.cells) + cell * size, n}, cell / 2 * 8 + cell % 2);
}

template <int N>
static void forgetAll(fuse_hypotheses set, const fuse_forgetting &step) {
  forEachCell<N>(set, [&](Cell<N> cell, int first) {
    Lanes phi = Lanes(1.0), fresh = Lanes(0.0);
    for (int lane = 0; lane < 4 && first + 2 * lane < set.count; ++lane) {
      const int noise = set.noise[first + 2 * lane];
      phi[lane] = step.memory[noise], fresh[lane] = step.fresh[noise];
    }
    Lanes *p = cell.covariance(), *x = cell.scalars();
    for (int a = step.first; a < step.first + step.antennas; ++a) {
      x[a - 2] *= phi;
      for (int k = 0; k <= a; ++k) p[triangle(a) + k] *= phi;
      for (int k = a; k < cell.n(); ++k) p[triangle(k) + a] *= phi;
      for (int b = step.first; b < a; ++b) p[triangle(a) + b] += step.correlation * fresh;
      p[triangle(a) + a] += fresh;
    }
  });
}

void forget(fuse_hypotheses set, const fuse_forgetting &step) {
  switch (set.dimension) {
    case 7: return forgetAll<7>(set, step);
    case 10: return forgetAll<10>(set, step);
    default: return forgetAll<0>(set, step);
  }
}

void drift(fuse_hypotheses set, const fuse_drift &lost) {
  const double *m = lost.position;
  auto row = [&](int r) { return Vector(Lanes(m[3 * r]), Lanes(m[3 * r + 1]), Lanes(m[3 * r + 2])); };
  const Vector rows[3] = {row(0), row(1), row(2)};
  const Vector from(Lanes(lost.from[0]), Lanes(lost.from[1]), Lanes(lost.from[2]));
  forEachCell<0>(set, [&](Cell<0> cell, int) {
    const Vector u(cell.at), e1(cell.tangent()), e2 = u.cross(e1);
    Lanes *p = cell.covariance();
    const Lanes rho = cell.scalars()[0], inverse = 1.0 / atLeast(rho, 0.1);
    // The Jacobian's columns are orthogonal, so its inverse only scales.
    const Vector d = from + rho * u, turn(-d.y, d.x, Lanes(0.0));
    const Lanes g0 = turn.dot(e1) * inverse, g1 = turn.dot(e2) * inverse, g2 = turn.dot(u);
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

void bends(fuse_hypotheses set, const double *from, double *bends) {
  forEachCell<0>(set, [&](Cell<0> cell, int first) {
    Lanes b1, b2;
    Row(Vector(cell.at), Vector(cell.tangent()), cell.scalars()[0], from).bends(cell.covariance(), b1, b2);
    for (int lane = 0; lane < 4 && first + 2 * lane < set.count; ++lane) {
      bends[2 * (first + 2 * lane)] = b1[lane], bends[2 * (first + 2 * lane) + 1] = b2[lane];
    }
  });
}

template <Excess excess>
static void foretell(Cell<0> cell, int lane, const fuse_range &range, double *row, double *variance, Lanes *work) {
  const int n = cell.n();
  Way<0, excess> way(cell, Lanes(0.0), range, work);
  const Sight<0> sight(way.direction, way.tangent, way.x[0], way.x[2], cell, range, way.ph);
  *variance = way.withExcess(sight, range)[lane];
  for (int k = 0; k < n; ++k) row[k] = 0;
  row[0] = sight.h0[lane], row[1] = sight.h1[lane], row[2] = sight.h2[lane];
  row[3] = 1, row[4] = sight.row.distance[lane], row[range.coloured] = 1;
  if (range.constant >= 0) row[range.constant] = 1;
  row[n - 1] = excess == Excess::kept ? 1 : 0;
}

void foretell(fuse_hypotheses set, int i, const fuse_range &range, double *row, double *variance, double *work) {
  const int n = set.dimension, size = 6 + n - 2 + triangle(n), lane = i / 2 % 4;
  const Cell<0> cell{lanes(set.cells) + (i / 8 * 2 + i % 2) * size, n};
  if (i % 2) {
    foretell<Excess::kept>(cell, lane, range, row, variance, lanes(work));
  } else {
    foretell<Excess::none>(cell, lane, range, row, variance, lanes(work));
  }
}
