import Foundation
import Geometry
import LeastSquares

/// Summary statistics of absolute errors.
package struct ErrorStatistics: Equatable, Sendable {
  /// How many.
  package var count: Int
  /// Root mean square.
  package var rms: Double
  /// Median.
  package var median: Double
  /// 90th percentile.
  package var percentile90: Double
  /// The largest.
  package var largest: Double
  /// The last one in time.
  package var final: Double

  /// The statistics of errors in time order; nil without any. O(n log n).
  package init?(_ errors: [Double]) {
    guard let last = errors.last else { return nil }
    let sorted = errors.map { abs($0) }.sorted()
    count = sorted.count
    rms = (sorted.reduce(0) { $0 + $1 * $1 } / Double(sorted.count)).squareRoot()
    median = sorted[(sorted.count - 1) / 2]
    percentile90 = sorted[Int((0.9 * Double(sorted.count - 1)).rounded(.up))]
    largest = sorted[sorted.count - 1]
    final = abs(last)
  }
}

/// Normalised estimation errors squared (NEES), `e^T P^-1 e`, over time: mean 3 for a consistent estimate of three
/// components.
///
/// Source: Bar-Shalom, Li, Kirubarajan, "Estimation with Applications to Tracking and Navigation", Wiley 2001, 5.4.2.
package struct NormalizedErrors: Equatable, Sendable {
  /// Components of each error.
  package static let degreesOfFreedom = 3.0
  /// The 99 % interval of one value of a consistent estimate.
  package static let band = ChiSquared.band99(degreesOfFreedom: degreesOfFreedom, count: 1)

  /// Time in seconds since the first one, and value.
  package private(set) var values: [(seconds: Double, value: Double)] = []

  /// None yet.
  package init() {}

  /// Adds an error with covariance `covariance` (any unit, squared). `floor` is added to the variances so that a
  /// singular covariance can be inverted.
  package mutating func add(_ error: Vector3, covariance: Matrix3, floor: Double, seconds: Double) {
    guard let information = (covariance + floor * Matrix3.identity).inverse else { return }
    let value = information.form(error, error)
    guard value.isFinite, value >= 0 else { return }
    values.append((seconds, value))
  }

  /// The mean; nil without any.
  package var mean: Double? {
    values.isEmpty ? nil : values.reduce(0) { $0 + $1.value } / Double(values.count)
  }

  /// How many lie in the 99 % band.
  package var inBand: Int { values.count { Self.band.contains($0.value) } }

  /// A stamp that is years off makes no endless evaluation, seconds.
  private static let longest = 7 * 86400.0

  /// ANEES: the mean over several runs at the same moments, every 0.5 s while all of them last, a week at most. Returns how many of
  /// these means lie in the 99 % band, and how many there are. Stricter than single values: with fifty runs the band is
  /// 2.2 to 3.9.
  package static func meansInBand(_ runs: [NormalizedErrors]) -> (inBand: Int, count: Int) {
    let runs = runs.filter { !$0.values.isEmpty }
    guard runs.count > 1, let end = runs.map({ $0.values.last!.seconds }).min() else { return (0, 0) }
    let band = ChiSquared.band99(degreesOfFreedom: degreesOfFreedom, count: runs.count)
    var indices = [Int](repeating: 0, count: runs.count)
    var tally = (inBand: 0, count: 0)
    for moment in stride(from: 0, through: min(end, longest), by: 0.5) {
      var sum = 0.0
      for (k, run) in runs.enumerated() {
        while indices[k] + 1 < run.values.count, run.values[indices[k] + 1].seconds <= moment + 1e-9 { indices[k] += 1 }
        sum += run.values[indices[k]].value
      }
      tally.count += 1
      if band.contains(sum / Double(runs.count)) { tally.inBand += 1 }
    }
    return tally
  }

  package static func == (a: Self, b: Self) -> Bool {
    a.values.count == b.values.count && zip(a.values, b.values).allSatisfy { $0 == $1 }
  }
}

/// The one meaning of ± for readers: half of an interval that holds the true value with a probability of 90 %.
package enum NinetyPercent {
  /// The half-width for a normal quantity with this standard deviation.
  package static func halfWidth(_ standardDeviation: Double) -> Double {
    NormalDistribution.quantile95 * standardDeviation
  }

  /// The half-width for an angle: never more than 90 % of the circle, which says that nothing is known.
  package static func halfWidthOnCircle(_ standardDeviation: Double) -> Double {
    min(halfWidth(standardDeviation), 0.9 * .pi)
  }

  /// The radius of the ball about a Gaussian point that holds it with 90 %, metres.
  ///
  /// The squared distance is a weighted sum of chi-squares; it is taken for a scaled one with the same mean and variance
  /// (Satterthwaite, 10.2307/3002019), with Wilson and Hilferty's quantile: within 2 % of the radius for every shape.
  package static func radius(_ covariance: Matrix3) -> Double {
    let mean = covariance.trace
    let square = (covariance * covariance).trace
    guard mean > 0, square > 0 else { return 0 }
    let (scale, degrees) = (square / mean, mean * mean / square)
    return (scale * ChiSquared.approximateQuantile(degrees, normal: NormalDistribution.quantile90)).squareRoot()
  }
}
