import Geometry
import Inertial

/// A range to a static peer, tied to the keyframe before it: the inertial unit carries the antenna over the short way since.
///
/// `p = p_k + v_k t + g t^2 / 2 + R_k a`, a the antenna's way since the keyframe in the IMU's axes then.
package struct AnchoredRange: Sendable {
  /// Index of the keyframe.
  package var keyframe: Int
  /// Seconds since then.
  package var elapsed: Double
  /// a: metres.
  package var way: Vector3
  /// As measured, metres.
  package var range: Double

  /// A range from its parts.
  package init(keyframe: Int, elapsed: Double, way: Vector3, range: Double) {
    self.keyframe = keyframe
    self.elapsed = elapsed
    self.way = way
    self.range = range
  }

  /// Where the antenna was, world.
  package func antenna(_ state: InertialState, gravity: Vector3) -> Vector3 {
    state.position + elapsed * state.velocity + (0.5 * elapsed * elapsed) * gravity + state.rotation * way
  }

  /// Predicted minus measured, metres.
  package func residual(_ state: InertialState, _ peer: StaticPeer, gravity: Vector3) -> Double {
    peer.predicted(antenna(state, gravity: gravity)).range - range
  }

  /// Its derivatives by the keyframe's 15 errors and by the peer's 5.
  package func jacobian(_ state: InertialState, _ peer: StaticPeer, gravity: Vector3) -> (
    state: [Double], peer: [Double]
  ) {
    let slope = peer.predicted(antenna(state, gravity: gravity)).slope
    let u = -Vector3(slope[0], slope[1], slope[2])
    // d(R a) = theta x R a, and u . (theta x w) = (w x u) . theta.
    let theta = (state.rotation * way).cross(u), v = elapsed * u
    return (
      [theta.x, theta.y, theta.z, u.x, u.y, u.z, v.x, v.y, v.z] + [Double](repeating: 0, count: 6),
      slope
    )
  }
}
