import Geometry
import Inertial

/// A range to a static peer, related to the keyframe before it by preintegrated IMU motion.
///
/// The antenna is at `p = p_k + v_k t + g t^2 / 2 + R_k a`, with a its displacement since the keyframe, without initial
/// velocity and gravity, in the keyframe's IMU axes.
package struct AnchoredRange: Sendable {
  /// Index of the keyframe.
  package var keyframe: Int
  /// Seconds since then.
  package var elapsed: Double
  /// a: metres.
  package var displacement: Vector3
  /// Measured, metres.
  package var range: Double

  /// A range from its parts.
  package init(keyframe: Int, elapsed: Double, displacement: Vector3, range: Double) {
    self.keyframe = keyframe
    self.elapsed = elapsed
    self.displacement = displacement
    self.range = range
  }

  /// Position of the antenna, world, metres.
  package func antenna(_ state: InertialState, gravity: Vector3) -> Vector3 {
    state.position + elapsed * state.velocity + (0.5 * elapsed * elapsed) * gravity + state.rotation * displacement
  }

  /// Predicted minus measured, metres.
  package func residual(_ state: InertialState, _ peer: StaticPeer, gravity: Vector3) -> Double {
    peer.predicted(antenna(state, gravity: gravity)).range - range
  }

  /// Its derivatives by the keyframe's 15 error states and the peer's 5.
  package func jacobian(_ state: InertialState, _ peer: StaticPeer, gravity: Vector3) -> (
    state: [Double], peer: [Double]
  ) {
    let slope = peer.predicted(antenna(state, gravity: gravity)).slope
    let u = -Vector3(slope[0], slope[1], slope[2])
    // d(R a) = theta x R a, and u . (theta x w) = (w x u) . theta.
    let theta = (state.rotation * displacement).cross(u), v = elapsed * u
    return (
      [theta.x, theta.y, theta.z, u.x, u.y, u.z, v.x, v.y, v.z] + [Double](repeating: 0, count: 6),
      slope
    )
  }
}
