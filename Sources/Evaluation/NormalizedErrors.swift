import Geometry

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
