import Geometry

/// A smooth rigid motion: a uniform cubic cumulative B-spline, in R^3 for the position and on SO(3) for the rotation.
///
/// Twice continuously differentiable, so the accelerometer sees no jumps. Velocity, acceleration, angular rate and
/// angular acceleration are exact derivatives of the very curve, so integrating them gives the curve back.
/// Source: Sommer et al., CVPR 2020, arXiv:1911.08860, equations 44 to 47 (recursions of the derivatives).
package struct PoseSpline: Sendable {
  /// Seconds between control poses.
  package let spacing: Double
  /// Seconds that the motion lasts: it is defined on [0, duration], and clamped outside.
  package let duration: Double
  private let controls: [Pose]

  /// The spline whose control pose number k stands for the time `(k - 1) * spacing`, k = 0, 1, ...
  ///
  /// - Parameter pose: the intended pose at a time in seconds, asked from `-spacing` to `duration + 3 * spacing`. The
  ///   spline follows it, rounding off whatever is faster than `spacing`.
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

      let turn = (a.rotation.inverse * b.rotation).log
      let partial = Rotation.exp(basis.value[j] * turn)
      let back = partial.inverse
      result.worldFromBody.rotation = result.worldFromBody.rotation * partial
      let rate = back * result.angularVelocity + basis.rate[j] * turn
      result.angularAcceleration =
        back * result.angularAcceleration + basis.rate[j] * rate.cross(turn) + basis.acceleration[j] * turn
      result.angularVelocity = rate
    }
    return result
  }
}
