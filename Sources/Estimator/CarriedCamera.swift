import Geometry
import Inertial
import Vision

/// The camera that an inertial state carries, at the time of a frame.
///
/// With the IMU turning at w (its axes) and moving at v, and d the camera's delay, `R_d = R Exp(w d)`:
///
///     R_C = R_d R_IC            theta_C = theta + R_d w delta + R_C phi
///     p_C = p + v d + R_d t     dp_C = dp + d dv - [R_d t]x (theta + R_d w delta) + v delta + R_d tau
package struct CarriedCamera {
  /// Its pose.
  package let worldFromCamera: Pose
  private let lever, rate, velocity: Vector3
  private let worldFromDelayed: Rotation
  private let delay: Double

  /// - Parameter angularVelocity: of the IMU, its own axes, rad/s.
  package init(_ state: InertialState, angularVelocity: Vector3, mount: CameraMount) {
    delay = mount.delay
    velocity = state.velocity
    worldFromDelayed = state.rotation * Rotation.exp(angularVelocity * delay)
    let delayed = Pose(rotation: worldFromDelayed, translation: state.position + state.velocity * delay)
    worldFromCamera = delayed * mount.imuFromCamera
    lever = worldFromDelayed * mount.imuFromCamera.translation
    rate = worldFromDelayed * angularVelocity
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
