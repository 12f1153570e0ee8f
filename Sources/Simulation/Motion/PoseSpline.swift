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
