import Geometry

/// Normalised estimation errors squared, `e^T P^-1 e`, over time: 3 on average for an honest estimate of three numbers.
///
/// Source: Bar-Shalom, Li, Kirubarajan, "Estimation with Applications to Tracking and Navigation", Wiley 2001, 5.4.2.
package struct NormalizedErrors: Equatable, Sendable {
  /// Numbers in each error.
  package static let degreesOfFreedom = 3.0
  /// Where one value of an honest estimate lies in 99 % of cases.
  package static let band = ChiSquared.band99(degreesOfFreedom: degreesOfFreedom, count: 1)

  /// When, seconds since the first one, and how large.
  package private(set) var values: [(seconds: Double, value: Double)] = []

  /// None yet.
  package init() {}

  /// Adds an error of covariance `covariance` (of any unit, squared). A covariance that cannot be inverted claims certainty:
  /// `floor` is the smallest variance that is taken seriously.
  package mutating func note(_ error: Vector3, covariance: Matrix3, floor: Double, seconds: Double) {
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

  /// The mean over several runs at the same moments, every half second for as long as all of them last: how many of these means
  /// lie in the 99 % band, and how many there are. Far stricter than single values: with fifty runs the band is 2.2 to 3.9.
  package static func averagesInBand(_ runs: [NormalizedErrors]) -> (inBand: Int, count: Int) {
    let runs = runs.filter { !$0.values.isEmpty }
    guard runs.count > 1, let end = runs.map({ $0.values.last!.seconds }).min() else { return (0, 0) }
    let band = ChiSquared.band99(degreesOfFreedom: degreesOfFreedom, count: runs.count)
    var places = [Int](repeating: 0, count: runs.count)
    var tally = (inBand: 0, count: 0)
    for moment in stride(from: 0, through: end, by: 0.5) {
      var sum = 0.0
      for (k, run) in runs.enumerated() {
        while places[k] + 1 < run.values.count, run.values[places[k] + 1].seconds <= moment + 1e-9 { places[k] += 1 }
        sum += run.values[places[k]].value
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
