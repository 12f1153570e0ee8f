import Foundation

/// A normal distribution of which only the part above zero counts: the excess of a blocked sight, which is one-sided.
///
/// With `a = mean / sigma` and the normal density phi and distribution Phi: the share above zero is `Phi(a)`, the mean of that part
/// `mean + sigma l` with `l = phi(a) / Phi(a)`, its variance `sigma^2 (1 - l (l + a))`.
/// Source: Johnson, Kotz, Balakrishnan, "Continuous univariate distributions" 1, 1994, 13.10.1.
package struct TruncatedNormal: Equatable, Sendable {
  /// Mean before the cut.
  package let mean: Double
  /// Variance before the cut.
  package let variance: Double

  package init(mean: Double, variance: Double) {
    self.mean = mean
    self.variance = variance
  }

  /// Share above zero; never quite 0, so that one may divide by it. A number that is known (no variance) is taken as given: 1.
  @inlinable package var share: Double {
    // Beyond six sigmas all of it is above zero, to nine digits.
    guard variance > 0, mean < 0 || mean * mean < 36 * variance else { return 1 }
    return max(0.5 * erfc(-mean / (2 * variance).squareRoot()), 1e-9)
  }

  /// Mean and variance of the part above zero.
  package var moments: (mean: Double, variance: Double) {
    guard variance > 0 else { return (mean, 0) }
    let sigma = variance.squareRoot()
    let a = mean / sigma
    let l = exp(-0.5 * a * a) / (2 * Double.pi).squareRoot() / share
    return (mean + sigma * l, max(variance * (1 - l * (l + a)), 0))
  }
}
