import Foundation
import LeastSquares

/// A normal distribution truncated to positive values: the NLOS bias.
///
/// With `a = mean / sigma` and the normal density phi and distribution Phi: the probability above zero is `Phi(a)`, the
/// mean of that part `mean + sigma l` with `l = phi(a) / Phi(a)`, its variance `sigma^2 (1 - l (l + a))`. Source:
/// Johnson, Kotz, Balakrishnan, "Continuous univariate distributions" 1, 1994, 13.10.1.
package struct TruncatedNormal: Equatable, Sendable {
  /// Mean before truncation.
  package let mean: Double
  /// Variance before truncation.
  package let variance: Double

  package init(mean: Double, variance: Double) {
    self.mean = mean
    self.variance = variance
  }

  /// Probability above zero, at least 1e-9 because it is a divisor; 1 where the variance is zero.
  @inlinable package var probabilityAboveZero: Double {
    // Beyond six sigma it is 1, to nine digits.
    guard variance > 0, mean < 0 || mean * mean < 36 * variance else { return 1 }
    return max(0.5 * erfc(-mean / (2 * variance).squareRoot()), 1e-9)
  }

  /// Mean and variance of the truncated distribution.
  package var moments: (mean: Double, variance: Double) {
    guard variance > 0 else { return (mean, 0) }
    let sigma = variance.squareRoot()
    let a = mean / sigma
    let l = NormalDistribution.density(a) / probabilityAboveZero
    return (mean + sigma * l, max(variance * (1 - l * (l + a)), 0))
  }
}
