import Estimator
import Geometry
import Inertial

/// The IMU factor: preintegrated motion between two keyframes.
///
///     r = (Log(R_i^T R_j D_R^T), R_i^T (p_j - p_i - v_i T - g T^2/2) - D_p, R_i^T (v_j - v_i - g T) - D_v,
///          b_g,j - b_g,i, b_a,j - b_a,i),
///
/// with the covariance of `PreintegratedIMU`; D is evaluated at the biases of i and the IMU's intrinsics. Error states:
/// rotation in the world frame, all else additive.
package struct InertialFactor: Sendable {
  /// Rows of the residual.
  package static let rows = 15
  private static let columns = 2 * InertialState.errorSize + RigEstimate.errorSize

  /// The motion.
  package let motion: PreintegratedIMU
  /// Gravity in the world, m/s^2.
  package let gravity: Vector3

  /// A factor from its parts.
  package init(motion: PreintegratedIMU, gravity: Vector3) {
    self.motion = motion
    self.gravity = gravity
  }

  /// The 15 residuals, unweighted.
  package func residual(_ a: InertialState, _ b: InertialState, _ intrinsics: IMUIntrinsics) -> [Double] {
    let d = motion.delta(a, intrinsics)
    let back = a.rotation.inverse
    return [
      (back * b.rotation * d.rotation.inverse).log, back * positionChange(a, b) - d.position,
      back * velocityChange(a, b) - d.velocity,
      b.gyroscopeBias - a.gyroscopeBias, b.accelerometerBias - a.accelerometerBias,
    ].flatMap { [$0.x, $0.y, $0.z] }
  }

  /// The residuals' Jacobian by the error states of both keyframes and of the rig: 15 x 52, row-major.
  package func jacobian(_ a: InertialState, _ b: InertialState, _ intrinsics: IMUIntrinsics) -> [Double] {
    let d = motion.delta(a, intrinsics)
    let back = a.rotation.inverse
    let error = (back * b.rotation * d.rotation.inverse).log
    let world = back.matrix
    // The left Jacobian is invertible for every angle up to pi.
    let unrolled = Rotation.leftJacobian(error).inverse ?? .identity
    let unrolledRight = Rotation.leftJacobian(-error).inverse ?? .identity
    let t = motion.duration, step = motion.transition
    var result = [Double](repeating: 0, count: Self.rows * Self.columns)
    func put(_ m: Matrix3, _ row: Int, _ column: Int, shift: Int = 0) {
      for i in 0..<3 {
        for j in 0..<3 { result[(3 * row + i) * Self.columns + 3 * column + shift + j] = m[i, j] }
      }
    }
    put(-(unrolled * world), 0, 0)
    put(-(unrolledRight * Rotation.leftJacobian(d.rotationChange) * step.rotationByGyroscopeBias), 0, 3)
    put(unrolled * world, 0, 5)
    put(world * positionChange(a, b).skew, 1, 0)
    put(-world, 1, 1)
    put(-t * world, 1, 2)
    put(-step.positionByGyroscopeBias, 1, 3)
    put(-step.positionByAccelerometerBias, 1, 4)
    put(world, 1, 6)
    put(world * velocityChange(a, b).skew, 2, 0)
    put(-world, 2, 2)
    put(-step.velocityByGyroscopeBias, 2, 3)
    put(-step.velocityByAccelerometerBias, 2, 4)
    put(world, 2, 7)
    // The intrinsics are last in the rig's error state, after seven numbers.
    for (k, by) in motion.byIntrinsics.enumerated() {
      put(-(unrolledRight * Rotation.leftJacobian(d.rotationChange) * by.theta), 0, 12 + k, shift: 1)
      put(-by.position, 1, 12 + k, shift: 1)
      put(-by.velocity, 2, 12 + k, shift: 1)
    }
    for k in 3..<5 {
      put(-Matrix3.identity, k, k)
      put(.identity, k, 5 + k)
    }
    return result
  }

  private func positionChange(_ a: InertialState, _ b: InertialState) -> Vector3 {
    b.position - a.position - a.velocity * motion.duration - gravity * (0.5 * motion.duration * motion.duration)
  }

  private func velocityChange(_ a: InertialState, _ b: InertialState) -> Vector3 {
    b.velocity - a.velocity - gravity * motion.duration
  }
}
