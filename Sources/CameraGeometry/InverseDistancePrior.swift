/// What is known of a point's inverse distance before it is seen twice.
///
/// It regularises the point at which equations are linearised; only for landmarks does it enter the filter.
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

  /// The same for points that become landmarks, where it does go into a filter. The points of a scene are not independent:
  /// all may be far. Three times the spread makes some ten of them together say what one should.
  package static let landmark = InverseDistancePrior(mean: 0.3, sigma: 1)
}
