import Foundation

/// Quantiles of the chi-square distribution, for chi-square gates.
package enum ChiSquaredQuantile {
  /// Value exceeded with probability 5 %; error within 0.5 % for three or more degrees of freedom, 2 % below.
  /// Source: Wilson and Hilferty, PNAS 17(12), 1931, doi:10.1073/pnas.17.12.684.
  package static func quantile95(_ degreesOfFreedom: Int) -> Double { quantile(degreesOfFreedom, normal: 1.6448536) }

  /// Value exceeded with probability 0.1 %.
  package static func quantile999(_ degreesOfFreedom: Int) -> Double { quantile(degreesOfFreedom, normal: 3.0902323) }

  /// Value exceeded with probability 0.01 %.
  package static func quantile9999(_ degreesOfFreedom: Int) -> Double { quantile(degreesOfFreedom, normal: 3.7190165) }

  private static func quantile(_ degreesOfFreedom: Int, normal: Double) -> Double {
    let n = Double(max(degreesOfFreedom, 1))
    let spread = 2 / (9 * n)
    let root = 1 - spread + normal * spread.squareRoot()
    return n * root * root * root
  }
}
