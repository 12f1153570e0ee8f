import Geometry

/// A smooth rigid motion: a uniform cubic cumulative B-spline on R^3 (position) and SO(3) (rotation).
///
/// Twice continuously differentiable, so specific force has no jumps. Velocity, acceleration, angular rate and angular
/// acceleration are the exact derivatives of the curve.
/// Source: Sommer et al., CVPR 2020, arXiv:1911.08860, equations 44 to 47 (recursions of the derivatives).
package struct PoseSpline: Sendable {
  /// Seconds between control poses.
  package let spacing: Double
  /// Seconds; the motion is defined on [0, duration] and clamped outside.
  package let duration: Double
  private let controls: [Pose]

  /// The spline whose control pose k is the intended pose at time `(k - 1) * spacing`, k = 0, 1, ...
  ///
  /// - Parameter pose: the intended pose at a time in seconds, called from `-spacing` to `duration + 3 * spacing`. The
  ///   spline follows it and smooths motion faster than `spacing`.
  /// - Precondition: `spacing` and `duration` are positive and finite.
  package init(duration: Double, spacing: Double, following pose: (Double) -> Pose) {
    precondition(spacing > 0 && duration > 0 && duration.isFinite, "a spline needs a length")
    self.spacing = spacing
    self.duration = duration
    let segments = Int((duration / spacing).rounded(.up)) + 1
    controls = (0..<(segments + 3)).map { pose(Double($0 - 1) * spacing) }
  }

  /// The motion at `time`, seconds. O(1).
  package func kinematics(at time: Double) -> Kinematics {
    let position = min(max(time, 0), duration) / spacing
    let first = min(Int(position), controls.count - 4)
    let basis = CumulativeBasis(u: position - Double(first), spacing: spacing)
    let start = controls[first]
    var result = Kinematics(
      worldFromBody: start, velocity: .zero, acceleration: .zero, angularVelocity: .zero, angularAcceleration: .zero)
    for j in 0..<3 {
      let a = controls[first + j]
      let b = controls[first + j + 1]
      let step = b.translation - a.translation
      result.worldFromBody.translation += basis.value[j] * step
      result.velocity += basis.rate[j] * step
      result.acceleration += basis.acceleration[j] * step

      let rotationVector = (a.rotation.inverse * b.rotation).log
      let partial = Rotation.exp(basis.value[j] * rotationVector)
      let back = partial.inverse
      result.worldFromBody.rotation = result.worldFromBody.rotation * partial
      let rate = back * result.angularVelocity + basis.rate[j] * rotationVector
      result.angularAcceleration =
        back * result.angularAcceleration + basis.rate[j] * rate.cross(rotationVector)
        + basis.acceleration[j] * rotationVector
      result.angularVelocity = rate
    }
    return result
  }
}

/// The three moving weights of a uniform cubic cumulative B-spline and their time derivatives.
///
/// A spline value on segment i is `x_i + sum_j w_j(u) (x_{i+j} - x_{i+j-1})`, j = 1...3, u in [0, 1); on a group the
/// differences are logarithms. Source: Sommer, Usenko, Schubert, Demmel, Cremers, "Efficient derivative computation
/// for cumulative B-splines on Lie groups", CVPR 2020, arXiv:1911.08860, section 3.
private struct CumulativeBasis {
  /// The weights w_1, w_2, w_3.
  let value: Vector3
  /// Their first derivatives, 1/s.
  let rate: Vector3
  /// Their second derivatives, 1/s^2.
  let acceleration: Vector3

  /// The weights at fraction `u` of a segment that lasts `spacing` seconds.
  init(u: Double, spacing: Double) {
    let u2 = u * u
    let u3 = u2 * u
    value = Vector3(5 + 3 * u - 3 * u2 + u3, 1 + 3 * u + 3 * u2 - 2 * u3, u3) / 6
    rate = Vector3(3 - 6 * u + 3 * u2, 3 + 6 * u - 6 * u2, 3 * u2) / (6 * spacing)
    acceleration = Vector3(u - 1, 1 - 2 * u, u) / (spacing * spacing)
  }
}

/// Pose of a rigid body at one time and its first two derivatives.
package struct Kinematics: Sendable {
  /// The pose, metres.
  package var worldFromBody: Pose
  /// Velocity of the body's origin in the world, m/s.
  package var velocity: Vector3
  /// Acceleration of the body's origin in the world, m/s^2.
  package var acceleration: Vector3
  /// Angular velocity in body axes, rad/s.
  package var angularVelocity: Vector3
  /// Angular acceleration in body axes, rad/s^2.
  package var angularAcceleration: Vector3

  /// The same motion, expressed for a frame S fixed to the body at `bodyFromSensor`.
  ///
  /// `v_S = v + R (w x l)`, `a_S = a + R (dw x l + w x (w x l))` with lever arm l: the centripetal and the Euler term
  /// of rigid-body kinematics.
  package func moved(to bodyFromSensor: Pose) -> Kinematics {
    let lever = bodyFromSensor.translation
    let rotation = worldFromBody.rotation
    let swing = angularVelocity.cross(lever)
    let sensorFromBody = bodyFromSensor.rotation.inverse
    return Kinematics(
      worldFromBody: worldFromBody * bodyFromSensor, velocity: velocity + rotation * swing,
      acceleration: acceleration + rotation * (angularAcceleration.cross(lever) + angularVelocity.cross(swing)),
      angularVelocity: sensorFromBody * angularVelocity, angularAcceleration: sensorFromBody * angularAcceleration)
  }
}
