// Part of the kernel: included once for each kind of processor, after Names.hpp.

/// Likelihood of innovations: inlier (normal) and outlier (Cauchy) densities times their prior probabilities, 1/m.
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

  /// Multiplies both by the weight of a mixture part.
  void scale(Lanes weight) { regular = weight * regular, outlier = weight * outlier; }
  /// Mixture density; never zero.
  Lanes total() const { return atLeast(regular + outlier, 1e-300); }
  /// Posterior probability of an inlier.
  Lanes responsibility() const { return regular / total(); }
};
