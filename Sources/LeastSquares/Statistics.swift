import Foundation

extension Collection<Double> {
  /// The median, the upper one of an even number; nil of none. O(n).
  ///
  /// Inlinable, so that other modules specialise it: premises take medians of hundreds of ranges.
  @inlinable package var median: Double? {
    guard !isEmpty else { return nil }
    var values = Array(self)
    return values.withUnsafeMutableBufferPointer { $0.select($0.count / 2) }
  }

  /// The 1-sigma of a normal distribution about `level` with this median of the distances from it, which a minority of
  /// outliers does not change much; nil of none.
  @inlinable package func robustDeviation(about level: Double = 0) -> Double? {
    guard !isEmpty else { return nil }
    var distances = map { abs($0 - level) }
    return 1.4826 * distances.withUnsafeMutableBufferPointer { $0.select($0.count / 2) }
  }
}

extension UnsafeMutableBufferPointer<Double> {
  /// The value that would be at `place` in ascending order; reorders the others.
  ///
  /// Source: Hoare, "Algorithm 65: find", Communications of the ACM 4(7), 1961, doi:10.1145/366622.366647.
  @usableFromInline func select(_ place: Int) -> Double {
    var low = 0, high = count - 1
    while low < high {
      let pivot = self[place]
      var i = low, j = high
      while i <= j {
        while self[i] < pivot { i += 1 }
        while pivot < self[j] { j -= 1 }
        guard i <= j else { break }
        swapAt(i, j)
        i += 1
        j -= 1
      }
      if j < place { low = i }
      if place < i { high = j }
    }
    return self[place]
  }
}

/// The vertex of the parabola through three values a step apart, in steps from the middle one, at most half a step from
/// it; 0 on a straight line.
package func parabolaVertex(_ a: Double, _ b: Double, _ c: Double) -> Double {
  let curvature = a - 2 * b + c
  return curvature == 0 ? 0 : max(-0.5, min(0.5, 0.5 * (a - c) / curvature))
}

/// The normal distribution of mean 0 and variance 1.
@frozen @usableFromInline
package enum NormalDistribution {
  /// Not exceeded with a probability of 90 %.
  package static let quantile90 = 1.2815515655446004
  /// Not exceeded with a probability of 95 %: half of the interval that holds 90 %.
  package static let quantile95 = 1.6448536269514722

  /// The density at `x`, of another variance where one is given.
  @inlinable package static func density(_ x: Double, variance: Double = 1) -> Double {
    exp(-0.5 * x * x / variance) / (2 * .pi * variance).squareRoot()
  }

  /// The probability of at most `x`; values below 1e-16 become 0.
  package static func cumulative(_ x: Double) -> Double {
    abs(x) < 8.2 ? 0.5 * erfc(-x * 0.5.squareRoot()) : x > 0 ? 1 : 0
  }
}

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

  /// The quantile from that of the normal distribution, in closed form. For three degrees of freedom it is 0.5 % below at
  /// 95 %, 1.8 % above at 99.9 % and 3.5 % above at 99.99 %; nearer for more, up to twice as far for one.
  /// Source: Wilson and Hilferty, PNAS 17(12), 1931, doi:10.1073/pnas.17.12.684.
  package static func approximateQuantile(_ degreesOfFreedom: Double, normal: Double) -> Double {
    let spread = 2 / (9 * degreesOfFreedom)
    let root = 1 - spread + normal * spread.squareRoot()
    return degreesOfFreedom * root * root * root
  }

  /// Gate of normalised squares, exceeded with a probability of 5 %.
  package static func gate95(_ rows: Int) -> Double { approximateQuantile(Double(max(rows, 1)), normal: 1.6448536) }

  /// The same with 0.1 %.
  package static func gate999(_ rows: Int) -> Double { approximateQuantile(Double(max(rows, 1)), normal: 3.0902323) }

  /// The same with 0.01 %.
  package static func gate9999(_ rows: Int) -> Double { approximateQuantile(Double(max(rows, 1)), normal: 3.7190165) }
}
