import Geometry
import Inertial
import CameraGeometry

/// The camera that an inertial state carries, at the time of a frame.
///
/// With the IMU turning at w and ever faster by a (its axes), moving at v and ever faster by f, and d the camera's delay,
/// `R_d = R Exp(w d) Exp(a d^2 / 2)`, `w_d = Exp(-a d^2 / 2) w + a d` and `v_d = v + f d`:
///
///     R_C = R_d R_IC                        theta_C = theta + R_d w_d delta + R_C phi
///     p_C = p + v d + f d^2 / 2 + R_d t     dp_C = dp + d dv - [R_d t]x (theta + R_d w_d delta) + v_d delta + R_d tau
package struct CameraPoseFromIMU {
  /// Its pose.
  package let worldFromCamera: Pose
  private let lever, rate, velocity: Vector3
  private let worldFromDelayed: Rotation
  private let delay: Double
  private let bend: (rotation: Vector3, position: Vector3)

  /// - Parameters:
  ///   - angularVelocity: of the IMU, its own axes, rad/s.
  ///   - angularAcceleration: the same, rad/s^2. Where delays are small it may be left out, like the acceleration.
  ///   - acceleration: of the IMU, world axes, m/s^2.
  package init(
    _ state: InertialState, angularVelocity: Vector3, angularAcceleration: Vector3 = .zero,
    acceleration: Vector3 = .zero, mount: CameraMount
  ) {
    delay = mount.delay
    velocity = state.velocity + acceleration * delay
    let further = Rotation.exp(angularAcceleration * (0.5 * delay * delay))
    worldFromDelayed = state.rotation * Rotation.exp(angularVelocity * delay) * further
    let way = state.velocity * delay + acceleration * (0.5 * delay * delay)
    let delayed = Pose(rotation: worldFromDelayed, translation: state.position + way)
    worldFromCamera = delayed * mount.imuFromCamera
    lever = worldFromDelayed * mount.imuFromCamera.translation
    rate = worldFromDelayed * (further.inverse * angularVelocity + angularAcceleration * delay)
    let turning = worldFromDelayed * angularAcceleration
    bend = (turning, acceleration - lever.cross(turning) + rate.cross(rate.cross(lever)))
  }

  /// What an uncertain delay does to the pose in second order: covariance of `(bend) delta^2 / 2`, 6 x 6, row-major, for a
  /// Gaussian delta. A linear filter leaves it out, and the same delta bends all frames.
  package func bent(delayVariance: Double) -> [Double] {
    let b = [bend.rotation, bend.position].flatMap { [$0.x, $0.y, $0.z] }
    let fourth = 0.75 * delayVariance * delayVariance
    return b.flatMap { row in b.map { fourth * row * $0 } }
  }

  /// Errors (theta_C, dp_C) by the state's, 6 x 15, row-major.
  package var byState: [Double] {
    let width = InertialState.errorSize, turned = -1.0 * lever.skew
    var result = [Double](repeating: 0, count: Clone.errorSize * width)
    for i in 0..<3 {
      result[i * width + i] = 1
      for j in 0..<3 { result[(3 + i) * width + j] = turned[i, j] }
      result[(3 + i) * width + 3 + i] = 1
      result[(3 + i) * width + 6 + i] = delay
    }
    return result
  }

  /// The same by the mount's (phi, tau, delta), 6 x 7, row-major.
  package var byMount: [Double] {
    let width = CameraMount.errorSize
    let turn = worldFromCamera.rotation.matrix, shift = worldFromDelayed.matrix
    let late = velocity - lever.cross(rate)
    var result = [Double](repeating: 0, count: Clone.errorSize * width)
    for i in 0..<3 {
      for j in 0..<3 {
        result[i * width + j] = turn[i, j]
        result[(3 + i) * width + 3 + j] = shift[i, j]
      }
      result[i * width + 6] = rate[i]
      result[(3 + i) * width + 6] = late[i]
    }
    return result
  }
}
