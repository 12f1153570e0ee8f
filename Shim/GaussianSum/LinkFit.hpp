// Part of the kernel: included once for each kind of processor, after Names.hpp. The fit of a link's ranges along a
// path, see `LinkFit` in Swift: four estimates side by side, each with sums in the order of the rows.

/// Four estimates (x, y, z, bias), metres.
struct Estimates {
  Lanes x, y, z, w;

  explicit Estimates(const Lanes *p) : x(p[0]), y(p[1]), z(p[2]), w(p[3]) {}
};

/// A range's residuals under four estimates, metres, and its prediction's derivatives by their positions.
struct Residuals {
  Lanes value, x, y, z;

  Residuals(const fuse_link &link, const fuse_link_row &row, const Estimates &of)
      : x(of.x - row.place[0]), y(of.y - row.place[1]), z(of.z - row.place[2]) {
    const Lanes distance = atLeast(root(x * x + y * y + z * z), 1e-6), slope = link.scale / distance;
    value = row.range - link.scale * distance - of.w;
    x = x * slope, y = y * slope, z = z * slope;
  }
};

/// Huber's threshold, sigmas.
constexpr double huber = 3;

/// The weights of a row.
static inline Lanes weights(const fuse_link &link, int row) {
  if (!link.weights) return Lanes(1.0);
  const double *four = link.weights + 4 * row;
  return Lanes{four[0], four[1], four[2], four[3]};
}

static inline Lanes size(Lanes a) { return __builtin_elementwise_abs(a); }

static inline Lanes cost(const fuse_link &link, Lanes sigma, const Estimates &of) {
  const Lanes bias = of.w - link.biasMean;
  Lanes sum = bias * bias * link.inverseBiasVariance;
  for (int i = 0; i < link.count; ++i) {
    const Lanes error = Residuals(link, link.rows[i], of).value / sigma, magnitude = size(error);
    const Lanes loss = replace(huber * magnitude - 0.5 * huber * huber, 0.5 * error * error,
                               magnitude <= (Lanes)(huber));
    sum += weights(link, i) * 2 * loss;
  }
  return sum;
}

void linkCosts(const fuse_link &link, const Lanes *estimates, Lanes *costs) {
  *costs = cost(link, link.sigma, Estimates(estimates));
}

/// Normal equations `A s = b`, lower triangle of A by columns, and their solution by `A = L D L^T`.
struct NormalEquations {
  Lanes xx = 0, xy = 0, xz = 0, xw = 0, yy = 0, yz = 0, yw = 0, zz = 0, zw = 0, ww = 0, x = 0, y = 0, z = 0, w = 0;

  void add(Lanes weight, const Residuals &row) {
    const Lanes sx = weight * row.x, sy = weight * row.y, sz = weight * row.z, pull = weight * row.value;
    xx += sx * row.x, xy += sx * row.y, xz += sx * row.z, xw += sx;
    yy += sy * row.y, yz += sy * row.z, yw += sy;
    zz += sz * row.z, zw += sz, ww += weight;
    x += pull * row.x, y += pull * row.y, z += pull * row.z, w += pull;
  }

  static Mask isPivot(Lanes a) { return (a > (Lanes)(0.0)) & (a < (Lanes)(INFINITY)); }

  /// Replaces the right side by the solution; the lanes in which there is one.
  Mask solve() {
    const Lanes lxy = xy / xx, lxz = xz / xx, lxw = xw / xx;
    yy -= lxy * xy, yz -= lxy * xz, yw -= lxy * xw;
    zz -= lxz * xz, zw -= lxz * xw, ww -= lxw * xw;
    const Lanes lyz = yz / yy, lyw = yw / yy;
    zz -= lyz * yz, zw -= lyz * yw, ww -= lyw * yw;
    const Lanes lzw = zw / zz;
    ww -= lzw * zw;
    y -= lxy * x;
    z -= lxz * x + lyz * y;
    w -= lxw * x + lyw * y + lzw * z;
    x /= xx, y /= yy, z /= zz, w /= ww;
    z -= lzw * w;
    y -= lyz * z + lyw * w;
    x -= lxy * y + lxz * z + lxw * w;
    return isPivot(xx) & isPivot(yy) & isPivot(zz) & isPivot(ww);
  }
};

void linkStep(const fuse_link &link, Lanes *estimates, const Lanes *damping, Lanes *costs, Mask *isSolved) {
  Estimates now(estimates);
  const Lanes mu = *damping;
  NormalEquations equations;
  equations.w = -link.inverseBiasVariance * (now.w - link.biasMean);
  const Lanes threshold = huber * link.sigma, variance = link.sigma * link.sigma;
  for (int i = 0; i < link.count; ++i) {
    const Residuals row(link, link.rows[i], now);
    const Lanes magnitude = size(row.value);
    Lanes spread = variance;
    if (any(magnitude > threshold)) spread = variance * atLeast(magnitude / threshold, 1);
    equations.add(weights(link, i) / spread, row);
  }
  equations.xx += mu * (equations.xx + 1e-3);
  equations.yy += mu * (equations.yy + 1e-3);
  equations.zz += mu * (equations.zz + 1e-3);
  equations.ww += link.inverseBiasVariance + mu * (equations.ww + 1e-3);
  *isSolved = equations.solve();
  now.x += equations.x, now.y += equations.y, now.z += equations.z, now.w += equations.w;
  estimates[0] = now.x, estimates[1] = now.y, estimates[2] = now.z, estimates[3] = now.w;
  *costs = cost(link, link.sigma, now);
}

/// The law of a link's errors, its outliers' densities at an error of 0.
struct ErrorLaw {
  Lanes lasting;
  double regular, longer, shorter, size, least;

  explicit ErrorLaw(const fuse_residuals &of)
      : lasting(of.lasting), regular(of.regular), longer(of.longer / of.size), shorter(of.shorter / of.size),
        size(of.size), least(of.least) {}

  /// The largest logarithm of a density under a variance at least as large.
  Lanes largest(Lanes variance) const {
    const double outlier = longer > shorter ? longer : shorter;
    const Lanes density = regular / root(2 * pi * variance) + (outlier > least ? outlier : least);
    return {std::log(density[0]), std::log(density[1]), std::log(density[2]), std::log(density[3])};
  }
};

/// The filter of the residuals under one candidate of the noise.
struct NoiseChain {
  Lanes mean, variance, product, sums, most;
  const double *decays;
  double white;
  fuse_noise_candidate *candidate;

  NoiseChain() = default;
  NoiseChain(const ErrorLaw &law, fuse_noise_candidate *candidate)
      : mean(0.0), variance(law.lasting), product(1.0), sums(0.0), decays(candidate->decays),
        white(candidate->white), candidate(candidate) {
    const double kept = candidate->largestDecay * candidate->largestDecay, fresh = kept < 1 ? 1 - kept : 0;
    most = law.largest(white + fresh * law.lasting);
  }

  /// Whether the sums of all residuals may reach `least`, so many before the end.
  bool mayReach(double least, int left) const {
    // Nat that rounding may add.
    constexpr double slack = 1e-6;
    return any(!(sums + double(left) * most < (Lanes)(least - slack)));
  }

  void take(const ErrorLaw &law, int k, double residual) {
    const double decay = decays[k], kept = decay * decay;
    const Lanes decayed = decay * mean, spread = kept * variance + (1 - kept) * law.lasting;
    const Lanes innovation = residual - decayed, total = spread + white;
    const Lanes good = law.regular * exponential(-0.5 * innovation * innovation / total) / root(2 * pi * total);
    const Lanes weight = replace((Lanes)(law.shorter), (Lanes)(law.longer), innovation > (Lanes)(0.0));
    const Lanes density = good + atLeast(weight * exponential(-size(innovation) / law.size), law.least);
    const Lanes gain = spread / total * (good / density);
    product *= density;
    mean = decayed + gain * innovation;
    variance = spread - gain * spread;
  }

  void close() {
    for (int lane = 0; lane < 4; ++lane) sums[lane] += std::log(product[lane]);
    product = 1;
  }
};

/// See `fuse_residual_likelihoods`. A filter waits for each of its results: several side by side do not.
void residualLikelihoods(const fuse_residuals &of, fuse_noise_candidate *candidates, int count, double least) {
  constexpr int most = 4, together = 8;
  const ErrorLaw law(of);
  const double *const residuals = of.residuals;
  const int all = of.count;
  NoiseChain chains[most];
  int left = 0;
  for (int i = 0; i < count && i < most; ++i) {
    candidates[i].likelihoods = (Lanes)(-INFINITY);
    chains[left++] = NoiseChain(law, candidates + i);
  }
  for (int first = 0; first < all; first += together) {
    int kept = 0;
    for (int i = 0; i < left; ++i)
      if (chains[i].mayReach(least, all - first)) chains[kept++] = chains[i];
    left = kept;
    const int end = first + together < all ? first + together : all;
    for (int k = first; k < end; ++k)
      for (int i = 0; i < left; ++i) chains[i].take(law, k, residuals[k]);
    for (int i = 0; i < left; ++i) chains[i].close();
  }
  for (int i = 0; i < left; ++i) chains[i].candidate->likelihoods = chains[i].sums;
}
