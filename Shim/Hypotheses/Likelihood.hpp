// Part of the kernel: included once for each kind of processor, after Names.hpp.

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
