import Geometry

/// Measurement model of one direction cosine between the device's antenna and a peer: `c = a . d / |d|` with `d = t - p
/// - R l`. The axis `a` rotates with the device.
package struct DirectionCosineModel: Equatable, Sendable {
  /// The cosine.
  package let cosine: Double
  /// Distance from antenna to peer, metres.
  package let distance: Double
  private let axis: Vector3
  private let direction: Vector3
  private let lever: Vector3

  /// Evaluates the model at one state.
  ///
  /// - Parameters:
  ///   - axis: `a` in the world, a unit vector.
  ///   - peer: `t`, the peer in the world, metres.
  ///   - worldFromNavigation: the pose whose error is (theta in the world, p).
  ///   - antenna: `l`, the antenna in the navigation frame, metres.
  package init(axis: Vector3, peer: Vector3, worldFromNavigation: Pose, antenna: Vector3) {
    self.axis = axis
    lever = worldFromNavigation.rotation * antenna
    let d = peer - worldFromNavigation.translation - lever
    distance = d.norm
    direction = distance > 1e-9 ? d / distance : Vector3(1, 0, 0)
    cosine = axis.dot(direction)
  }

  /// `dc/dt` (1x3): `g = (a - c u) / |d|`, 1/m.
  package var peerJacobian: Vector3 { (axis - cosine * direction) / max(distance, 1e-9) }
  /// `dc/dp` (1x3): `-g`.
  package var positionJacobian: Vector3 { -peerJacobian }
  /// `dc/dtheta` (1x3) of the world-frame rotation error `R = Exp(theta) R_hat`, which rotates axis and lever arm: `a x
  /// u - R l x g`.
  package var rotationJacobian: Vector3 { axis.cross(direction) - lever.cross(peerJacobian) }
}
