import CameraGeometry
import Geometry
import Inertial

/// Camera pose at the time of a frame, from an inertial state and the mount, with its Jacobians.
///
/// The IMU has angular rate w and angular acceleration a (its axes), velocity v and acceleration f; d is the camera's
/// delay. `R_d = R Exp(w d) Exp(a d^2 / 2)`, `w_d = Exp(-a d^2 / 2) w + a d` and `v_d = v + f d`:
///
///     R_C = R_d R_IC                        theta_C = theta + R_d w_d delta + R_C phi
///     p_C = p + v d + f d^2 / 2 + R_d t     dp_C = dp + d dv - [R_d t]x (theta + R_d w_d delta) + v_d delta + R_d tau
package struct CameraPoseFromIMU {
  /// The camera pose.
  package let worldFromCamera: Pose
  private let lever, rate, velocity: Vector3
  private let worldFromDelayed: Rotation
  private let delay: Double
  private let secondDerivative: (rotation: Vector3, position: Vector3)

  /// - Parameters:
  ///   - angularVelocity: of the IMU, its own axes, rad/s.
  ///   - angularAcceleration: of the IMU, its own axes, rad/s^2. May be omitted for small delays, as may the
  ///     acceleration.
  ///   - acceleration: of the IMU, world axes, m/s^2.
  package init(
    _ state: InertialState, angularVelocity: Vector3, angularAcceleration: Vector3 = .zero,
    acceleration: Vector3 = .zero, mount: CameraMount
  ) {
    delay = mount.delay
    velocity = state.velocity + acceleration * delay
    let accelerationRotation = Rotation.exp(angularAcceleration * (0.5 * delay * delay))
    worldFromDelayed = state.rotation * Rotation.exp(angularVelocity * delay) * accelerationRotation
    let displacement = state.velocity * delay + acceleration * (0.5 * delay * delay)
    let delayed = Pose(rotation: worldFromDelayed, translation: state.position + displacement)
    worldFromCamera = delayed * mount.imuFromCamera
    lever = worldFromDelayed * mount.imuFromCamera.translation
    rate = worldFromDelayed * (accelerationRotation.inverse * angularVelocity + angularAcceleration * delay)
    let worldAngularAcceleration = worldFromDelayed * angularAcceleration
    secondDerivative = (
      worldAngularAcceleration,
      acceleration - lever.cross(worldAngularAcceleration) + rate.cross(rate.cross(lever))
    )
  }

  /// Second-order effect of an uncertain delay on the pose: covariance of `secondDerivative delta^2 / 2` for a Gaussian
  /// delta, 6 x 6, row-major. A linear filter neglects it, and the same delta affects all frames.
  package func secondOrderCovariance(delayVariance: Double) -> [Double] {
    let b = [secondDerivative.rotation, secondDerivative.position].flatMap { [$0.x, $0.y, $0.z] }
    let fourth = 0.75 * delayVariance * delayVariance
    return b.flatMap { row in b.map { fourth * row * $0 } }
  }

  /// Velocity of the camera, world axes, m/s.
  var cameraVelocity: Vector3 { velocity - lever.cross(rate) }

  /// Jacobian of (theta_C, dp_C) by the inertial error state, 6 x 15, row-major.
  package var byState: [Double] {
    let width = InertialState.errorSize, minusLeverSkew = -1.0 * lever.skew
    var result = [Double](repeating: 0, count: Clone.errorSize * width)
    for i in 0..<3 {
      result[i * width + i] = 1
      for j in 0..<3 { result[(3 + i) * width + j] = minusLeverSkew[i, j] }
      result[(3 + i) * width + 3 + i] = 1
      result[(3 + i) * width + 6 + i] = delay
    }
    return result
  }

  /// Jacobian of (theta_C, dp_C) by the mount's (phi, tau, delta), 6 x 7, row-major.
  package var byMount: [Double] {
    let width = CameraMount.errorSize
    let cameraAxes = worldFromCamera.rotation.matrix, imuAxes = worldFromDelayed.matrix
    let byDelay = cameraVelocity
    var result = [Double](repeating: 0, count: Clone.errorSize * width)
    for i in 0..<3 {
      for j in 0..<3 {
        result[i * width + j] = cameraAxes[i, j]
        result[(3 + i) * width + 3 + j] = imuAxes[i, j]
      }
      result[i * width + 6] = rate[i]
      result[(3 + i) * width + 6] = byDelay[i]
    }
    return result
  }
}
