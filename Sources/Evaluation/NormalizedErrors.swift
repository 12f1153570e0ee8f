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

  package static func == (a: Self, b: Self) -> Bool {
    a.values.count == b.values.count && zip(a.values, b.values).allSatisfy { $0 == $1 }
  }
}
