/// Prior of a point's inverse distance before it has parallax.
///
/// It regularises the linearisation point; only for landmarks does it enter the filter.
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

  /// Scenes of a hand-held camera: from 1 m (two sigmas) to the horizon (one sigma).
  package static let handHeld = InverseDistancePrior(mean: 0.3, sigma: 0.3)

  /// The same for points that become landmarks, where it does enter the filter. The points of a scene are not
  /// independent: all may be far. With three times the sigma about ten of them together weigh as much as one
  /// independent point.
  package static let landmark = InverseDistancePrior(mean: 0.3, sigma: 1)
}
