import Geometry
import Inertial
import SensorData

/// Preintegrated IMU motion between two times, independent of the state at the first one.
///
/// In the axes of the IMU at the start, without gravity:
/// `D_R = R_i^T R_j`, `D_v = R_i^T (v_j - v_i - g T)`, `D_p = R_i^T (p_j - p_i - v_i T - g T^2 / 2)`.
/// They equal the state reached from zero velocity at the origin of a world without gravity. So the filter's
/// propagation computes them, their first-order dependence on the biases and their covariance. Errors: `Exp(theta)
/// D_R`, else additive; the biases' random walks are included.
/// Source: Forster, Carlone, Dellaert, Scaramuzza, "On-manifold preintegration for real-time visual-inertial odometry",
/// TRO 33(1), 2017, doi:10.1109/TRO.2016.2597321; closed forms as in `InertialPropagation`.
package struct PreintegratedIMU: Sendable {
  /// Length of the interval, seconds.
  package let duration: Double
  /// D_R, D_p, D_v at the biases of this state.
  package let delta: InertialState
  /// Derivatives of (theta, p, v) by the biases: the transition's columns for b_g and b_a.
  package let transition: InertialTransition
  /// The IMU's intrinsics at which it was integrated.
  package let intrinsics: IMUIntrinsics
  /// Derivatives of (theta, p, v) by each triple of the intrinsics.
  package let byIntrinsics: [(theta: Matrix3, position: Matrix3, velocity: Matrix3)]
  /// Covariance of (theta, p, v, b_g, b_a) accumulated over the interval, 15 x 15, row-major.
  package let covariance: [Double]

  /// Over start...end. The samples must reach both ends within 100 ms; nil where they do not, and for an empty
  /// interval.
  ///
  /// - Parameters:
  ///   - gyroscopeBias: bias at which to integrate, rad/s.
  ///   - accelerometerBias: the same, m/s^2.
  ///   - intrinsics: the IMU's intrinsics at which to integrate.
  package init?(
    _ samples: IMUBuffer, from start: Timestamp, to end: Timestamp, gyroscopeBias: Vector3, accelerometerBias: Vector3,
    intrinsics: IMUIntrinsics = IMUIntrinsics(), noise: InertialNoise
  ) {
    guard end > start, let last = samples.samples.last, let oldest = samples.samples.first,
      end.seconds(since: last.timestamp) <= InertialNoise.dropoutSpacing,
      oldest.timestamp.seconds(since: start) <= InertialNoise.dropoutSpacing
    else { return nil }
    let weightless = InertialPropagation(gravityMagnitude: 0)
    var state = InertialState(gyroscopeBias: gyroscopeBias, accelerometerBias: accelerometerBias)
    var transition = InertialTransition.identity
    var processNoise = BlockMatrix15()
    var byIntrinsics = IntrinsicsTransition()
    var here = start
    for there in samples.stops(from: start, to: end) {
      guard let a = samples.sample(at: here), let b = samples.sample(at: there) else { return nil }
      let meanAngularVelocity = 0.5 * (a.angularVelocity + b.angularVelocity)
      let meanSpecificForce = 0.5 * (a.specificForce + b.specificForce)
      let (rate, force) = intrinsics.corrected(angularVelocity: meanAngularVelocity, specificForce: meanSpecificForce)
      let dt = there.seconds(since: here)
      let next = weightless.propagated(state, angularVelocity: rate, specificForce: force, dt: dt)
      let step = weightless.transition(
        from: state, first: (state.position, state.velocity), to: next, angularVelocity: rate, specificForce: force,
        dt: dt)
      let spacing = samples.spacing(from: here, to: there)
      let added = noise.processNoise(over: step, quality: InertialNoise.quality(ofSpacing: spacing), spacing: spacing)
      byIntrinsics.extend(over: step, rate: meanAngularVelocity, force: meanSpecificForce)
      transition = step * transition
      processNoise = step.carried(processNoise)
      for i in 0..<5 { for j in 0..<5 { processNoise[i, j] += added[i, j] } }
      (state, here) = (next, there)
    }
    guard state.isFinite else { return nil }
    duration = end.seconds(since: start)
    delta = state
    self.transition = transition
    self.intrinsics = intrinsics
    self.byIntrinsics = byIntrinsics.byTriple
    covariance = processNoise.rowMajor
  }

  /// D_R, D_p, D_v at the biases of a state and other intrinsics, to first order; `rotationChange` is the change of
  /// D_R.
  package func delta(_ state: InertialState, _ intrinsics: IMUIntrinsics) -> (
    rotation: Rotation, position: Vector3, velocity: Vector3, rotationChange: Vector3
  ) {
    let dg = state.gyroscopeBias - delta.gyroscopeBias, da = state.accelerometerBias - delta.accelerometerBias
    var rotationChange = transition.rotationByGyroscopeBias * dg
    var position = transition.positionByGyroscopeBias * dg + transition.positionByAccelerometerBias * da
    var velocity = transition.velocityByGyroscopeBias * dg + transition.velocityByAccelerometerBias * da
    for (k, by) in byIntrinsics.enumerated() {
      let change = intrinsics.triples[k] - self.intrinsics.triples[k]
      rotationChange += by.theta * change
      position += by.position * change
      velocity += by.velocity * change
    }
    return (
      Rotation.exp(rotationChange) * delta.rotation, delta.position + position, delta.velocity + velocity,
      rotationChange
    )
  }

  /// The state at the end, from the state at the start, at the integration's intrinsics; gravity in world,
  /// m/s^2.
  package func carried(_ state: InertialState, gravity: Vector3) -> InertialState {
    let d = delta(state, intrinsics)
    var next = state
    next.rotation = state.rotation * d.rotation
    next.velocity += gravity * duration + state.rotation * d.velocity
    next.position += state.velocity * duration + gravity * (0.5 * duration * duration) + state.rotation * d.position
    return next
  }
}
