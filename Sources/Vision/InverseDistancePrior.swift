/// What is known of a point's inverse distance before it is seen twice.
///
/// It regularises the point at which equations are linearised, nothing else: no information enters a filter through it.
package struct InverseDistancePrior: Equatable, Sendable {
  /// Mean, 1/m.
  package var mean: Double
  /// 1-sigma, 1/m.
  package var sigma: Double

  /// A prior from its parts.
  package init(mean: Double, sigma: Double) {
    self.mean = mean
    self.sigma = sigma
  }

  /// What a camera in a hand looks at: everything from a metre away (two sigmas) to the horizon (one).
  package static let handHeld = InverseDistancePrior(mean: 0.3, sigma: 0.3)
}
