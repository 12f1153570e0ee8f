import Foundation

/// How likely an innovation is: by the model, or as one of a few gross errors.
package struct RangeLikelihood {
  /// Density by the model, times its share, 1/m.
  package let regular: Double
  /// Density as a gross error, times its share, 1/m.
  package let gross: Double
  /// Density altogether, 1/m; never zero.
  @inlinable package var total: Double { max(regular + gross, 1e-300) }
  /// Probability that the range follows the model, 0...1.
  @inlinable package var responsibility: Double { regular / total }

  /// - Parameters: the innovation in metres and its variance (prediction plus white noise) in m^2.
  @inlinable package init(innovation: Double, variance: Double, rangeOutlierProbability: Double, rangeOutlierScale: Double) {
    regular = (1 - rangeOutlierProbability) * Self.normal(innovation, variance)
    gross = rangeOutlierProbability * Self.cauchy(innovation, variance + rangeOutlierScale * rangeOutlierScale)
  }

  /// Cauchy's density with the square of its half-width: a gross error may be of any size. A normal density would be zero to the
  /// computer at a hundred metres, as the model's is, and who divides one by the other believes the range.
  @inlinable package static func cauchy(_ x: Double, _ square: Double) -> Double {
    square.squareRoot() / (.pi * (square + x * x))
  }

  /// The normal density.
  @inlinable package static func normal(_ x: Double, _ variance: Double) -> Double {
    exp(-0.5 * x * x / variance) / (2 * .pi * variance).squareRoot()
  }
}
