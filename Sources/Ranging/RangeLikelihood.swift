import Foundation

/// How likely an innovation is when the sight is free, and when it is blocked: a one-sided excess, and a few gross errors.
package struct RangeLikelihood {
  /// Density with a free sight, 1/m.
  package let free: Double
  /// Density with a blocked one, 1/m.
  package let blocked: Double

  /// - Parameters: the innovation in metres and its variance (prediction plus white noise) in m^2.
  @inlinable package init(innovation: Double, variance: Double, configuration: RangingConfiguration) {
    let spread = configuration.excessSpread * configuration.excessSpread
    let gross = configuration.grossSpread * configuration.grossSpread
    free = Self.normal(innovation, variance)
    blocked =
      (1 - configuration.grossShare) * Self.normal(innovation - configuration.excessMean, spread + variance)
      + configuration.grossShare * Self.normal(innovation, gross + variance)
  }

  /// The normal density.
  @inlinable package static func normal(_ x: Double, _ variance: Double) -> Double {
    exp(-0.5 * x * x / variance) / (2 * .pi * variance).squareRoot()
  }
}
