import Geometry

/// Derivatives of (theta, p, v) at the end of an interval by the IMU intrinsics. Errors of the intrinsics act like
/// biases proportional to the reading, with the opposite sign.
package struct IntrinsicsTransition: Sendable {
  /// Dependence on each triple of `IMUIntrinsics`.
  package private(set) var byTriple = [(theta: Matrix3, position: Matrix3, velocity: Matrix3)](
    repeating: (.zero, .zero, .zero), count: 5)

  /// Zero duration: zero.
  package init() {}

  /// Appends one step.
  ///
  /// - Parameters:
  ///   - step: transition of the inertial state over the step.
  ///   - rate: angular rate as measured, rad/s.
  ///   - force: specific force as measured, m/s^2.
  package mutating func extend(over step: InertialTransition, rate: Vector3, force: Vector3) {
    let forces = IMUIntrinsics.forceDerivatives(force)
    for k in byTriple.indices {
      let old = byTriple[k]
      var position = step.positionByRotation * old.theta + step.dt * old.velocity
      var velocity = step.velocityByRotation * old.theta
      if k < forces.count {
        position += -(step.positionByAccelerometerBias * forces[k])
        velocity += -(step.velocityByAccelerometerBias * forces[k])
      } else {
        let w = rate[k - forces.count]
        position += (-w) * step.positionByGyroscopeBias
        velocity += (-w) * step.velocityByGyroscopeBias
        byTriple[k].theta += (-w) * step.rotationByGyroscopeBias
      }
      byTriple[k].position += position
      byTriple[k].velocity += velocity
    }
  }

  /// Jacobian of the inertial error state by the intrinsics' errors, 15 x 15, row-major.
  package var matrix: [Double] {
    let n = InertialState.errorSize
    var result = [Double](repeating: 0, count: n * IMUIntrinsics.count)
    for (k, by) in byTriple.enumerated() {
      for (block, part) in [by.theta, by.position, by.velocity].enumerated() {
        for i in 0..<3 {
          for j in 0..<3 { result[(3 * block + i) * IMUIntrinsics.count + 3 * k + j] = part[i, j] }
        }
      }
    }
    return result
  }
}
