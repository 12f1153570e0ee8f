// Part of the kernel: included once for each kind of processor, after Names.hpp.

/// How likely innovations are: by the model, or as one of a few outlier errors (Cauchy's density); densities times their shares, 1/m.
struct Likelihood {
  Lanes regular, outlier;

  Likelihood(Lanes innovation, Lanes variance, const fuse_range &range) {
    const Lanes normal = exponential(-0.5 * innovation * innovation / variance) / root(2 * pi * variance);
    regular = (1 - range.rangeOutlierProbability) * normal;
    outlier = ofOutlier(innovation, variance, range);
  }

  static Lanes ofOutlier(Lanes innovation, Lanes variance, const fuse_range &range) {
    const Lanes square = variance + range.rangeOutlierScale * range.rangeOutlierScale;
    return range.rangeOutlierProbability * root(square) / (pi * (square + innovation * innovation));
  }

  /// Of one part of a mixture, with its weight of the whole.
  void weight(Lanes weight) { regular = weight * regular, outlier = weight * outlier; }
  /// Never zero.
  Lanes total() const { return atLeast(regular + outlier, 1e-300); }
  /// Probability that the range follows the model.
  Lanes responsibility() const { return regular / total(); }
};
