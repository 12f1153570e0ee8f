import LeastSquares

/// Likelihood of an innovation: inlier (normal) and outlier (Cauchy) mixture.
package struct RangeLikelihood {
  /// Inlier density times its prior probability, 1/m.
  package let regular: Double
  /// Outlier density times its prior probability, 1/m.
  package let outlier: Double
  /// Mixture density, 1/m; never zero.
  @inlinable package var total: Double { max(regular + outlier, 1e-300) }
  /// Posterior probability of an inlier, 0...1.
  @inlinable package var responsibility: Double { regular / total }

  /// - Parameters: the innovation in metres and its variance (prediction plus white noise) in m^2.
  @inlinable package init(
    innovation: Double, variance: Double, rangeOutlierProbability: Double, rangeOutlierScale: Double
  ) {
    regular = (1 - rangeOutlierProbability) * NormalDistribution.density(innovation, variance: variance)
    outlier = rangeOutlierProbability * Self.cauchy(innovation, variance + rangeOutlierScale * rangeOutlierScale)
  }

  /// Cauchy density with the square of its half-width: an outlier may have any size. A normal outlier density would
  /// underflow at a hundred metres like the inlier's, and the responsibility would be undefined.
  @inlinable package static func cauchy(_ x: Double, _ square: Double) -> Double {
    square.squareRoot() / (.pi * (square + x * x))
  }
}
