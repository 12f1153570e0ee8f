import Foundation

/// The chi-squared distribution: that of normalised squared errors of a consistent estimator.
///
/// Regularised lower incomplete gamma function by its series below `a + 1` and by Lentz's continued fraction above.
/// Source: Abramowitz and Stegun, "Handbook of Mathematical Functions", 6.5.29 and 6.5.31; 26.4.19.
package enum ChiSquared {
  /// Probability of at most `x`. `degreesOfFreedom` is positive; 0 for a negative `x`.
  package static func cumulative(_ x: Double, degreesOfFreedom: Double) -> Double {
    guard x > 0 else { return 0 }
    let (a, z) = (degreesOfFreedom / 2, x / 2)
    let front = exp(a * log(z) - z - lgamma(a))
    if z < a + 1 {
      var (term, sum, k) = (1 / a, 1 / a, a)
      while abs(term) > 1e-16 * abs(sum) {
        k += 1
        term *= z / k
        sum += term
      }
      return min(1, front * sum)
    }
    var b = z + 1 - a
    var c = 1e300
    var d = 1 / b
    var fraction = d
    for i in 1...10_000 {
      let numerator = -Double(i) * (Double(i) - a)
      b += 2
      d = 1 / (numerator * d + b)
      c = b + numerator / c
      let change = c * d
      fraction *= change
      if abs(change - 1) < 1e-15 { break }
    }
    return max(0, 1 - front * fraction)
  }

  /// The value that is not exceeded with `probability` (0 < p < 1), to about 1e-10 of it, by bisection.
  package static func quantile(_ probability: Double, degreesOfFreedom: Double) -> Double {
    var (low, high) = (0.0, degreesOfFreedom + 10)
    while cumulative(high, degreesOfFreedom: degreesOfFreedom) < probability, high < 1e12 { high *= 2 }
    for _ in 0..<200 {
      let middle = (low + high) / 2
      if middle <= low || middle >= high { break }
      if cumulative(middle, degreesOfFreedom: degreesOfFreedom) < probability { low = middle } else { high = middle }
    }
    return (low + high) / 2
  }

  /// The two-sided 99 % interval of the mean of `count` independent normalised squared errors of a consistent
  /// estimator.
  ///
  /// Source: Bar-Shalom, Li, Kirubarajan, "Estimation with Applications to Tracking and Navigation", Wiley 2001, 5.4.2.
  package static func band99(degreesOfFreedom: Double, count: Int) -> ClosedRange<Double> {
    let n = Double(max(1, count))
    return quantile(0.005, degreesOfFreedom: n * degreesOfFreedom) / n...quantile(
      0.995, degreesOfFreedom: n * degreesOfFreedom) / n
  }
}
