import Geometry

/// LOS and NLOS alternate as a two-state Markov chain with the rates `losLossRate` and `losReturnRate`, 1/s. A range is
/// an outlier with the probability `rangeOutlierProbability`. Its innovation then has a Cauchy density with the squared
/// half-width `S + rangeOutlierScale^2`, m^2, S being the innovation variance (`RangeLikelihood`). So the likelihood of
/// a range is a mixture of LOS, NLOS and outlier.
package struct RangeModel: Equatable, Sendable {
  /// Unit vector from antenna to peer in the world: the row `q`.
  package let direction: Vector3
  /// Geometric distance from antenna to peer, metres.
  package let distance: Double
  /// The lever arm rotated into the world, `R l`, metres.
  package let lever: Vector3

  /// Evaluates the model at one state.
  ///
  /// - Parameters:
  ///   - peer: `t`, the peer in the world, metres.
  ///   - worldFromNavigation: the pose whose error is (theta in the world, p).
  ///   - antenna: `l`, the antenna in the navigation frame, metres.
  package init(peer: Vector3, worldFromNavigation: Pose, antenna: Vector3) {
    lever = worldFromNavigation.rotation * antenna
    let d = peer - worldFromNavigation.translation - lever
    distance = d.norm
    direction = distance > 1e-9 ? d / distance : Vector3(1, 0, 0)
  }

  /// `dz/dtheta` (1x3) of the world-frame rotation error `R = Exp(theta) R_hat`: `q [R l]x`.
  package var rotationJacobian: Vector3 { -lever.cross(direction) }
  /// `dz/dp` (1x3): `-q`.
  package var positionJacobian: Vector3 { -direction }
  /// `dz/dt` (1x3): `q`.
  package var peerJacobian: Vector3 { direction }
}
