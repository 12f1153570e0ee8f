import Foundation
import Geometry

/// The one meaning of ± for readers: half of an interval that holds the true value with a probability of 90 %.
package enum NinetyPercent {
  /// The 95 % quantile of the normal distribution: 5 % are left out on either side.
  static let quantile = 1.6448536269514722

  /// The half-width for a normal quantity with this standard deviation.
  package static func halfWidth(_ standardDeviation: Double) -> Double { quantile * standardDeviation }

  /// The half-width for an angle: never more than 90 % of the circle, which says that nothing is known.
  package static func halfWidthOnCircle(_ standardDeviation: Double) -> Double {
    min(halfWidth(standardDeviation), 0.9 * .pi)
  }

  /// The radius of the ball about a Gaussian point that holds it with 90 %, metres.
  ///
  /// The squared distance is a weighted sum of chi-squares; it is taken for a scaled one with the same mean and variance
  /// (Satterthwaite, 10.2307/3002019), whose quantile is Wilson and Hilferty's (10.1073/pnas.17.12.684): within 2 % of
  /// the radius for every shape.
  package static func radius(_ covariance: Matrix3) -> Double {
    let mean = covariance.trace
    let square = (covariance * covariance).trace
    guard mean > 0, square > 0 else { return 0 }
    let (scale, degrees) = (square / mean, mean * mean / square)
    let spread = 2 / (9 * degrees)
    let root = 1 - spread + 1.2815515655446004 * spread.squareRoot()
    return (scale * degrees * root * root * root).squareRoot()
  }
}
