import Geometry
import Inertial
import SensorData

/// What the inertial unit says about the motion between two moments, whatever the state at the first one was.
///
/// In the axes of the IMU at the start, with gravity left out:
/// `D_R = R_i^T R_j`, `D_v = R_i^T (v_j - v_i - g T)`, `D_p = R_i^T (p_j - p_i - v_i T - g T^2 / 2)`.
/// These are the state that a world without gravity would reach from rest at its origin, so the filter's own propagation
/// computes them, their first-order dependence on the biases and their covariance (errors: `Exp(theta) D_R`, additive; the
/// biases' random walks included).
/// Source: Forster, Carlone, Dellaert, Scaramuzza, "On-manifold preintegration for real-time visual-inertial odometry",
/// TRO 33(1), 2017, doi:10.1109/TRO.2016.2597321; closed forms as in `InertialPropagation`.
package struct PreintegratedIMU: Sendable {
  /// Length of the stretch, seconds.
  package let duration: Double
  /// D_R, D_p, D_v at the biases that the state carries.
  package let delta: InertialState
  /// Dependence of (theta, p, v) on changes of the biases: the transition's columns for b_g and b_a.
  package let transition: InertialTransition
  /// The unit's axes at which it was integrated.
  package let intrinsics: IMUIntrinsics
  /// Dependence of (theta, p, v) on changes of each of their triples.
  package let byIntrinsics: [(theta: Matrix3, position: Matrix3, velocity: Matrix3)]
  /// Covariance of (theta, p, v, b_g, b_a) gathered over the stretch, 15 x 15, row-major.
  package let covariance: [Double]

  /// Over start...end, which the samples must reach within 100 ms; nil where they do not, and for an empty stretch.
  ///
  /// - Parameters:
  ///   - gyroscopeBias: at which to integrate, rad/s.
  ///   - accelerometerBias: the same, m/s^2.
  ///   - intrinsics: the unit's axes at which to integrate.
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
    var gathered = BlockMatrix15()
    var byIntrinsics = IntrinsicsTransition()
    var here = start
    for there in samples.stops(from: start, to: end) {
      guard let a = samples.sample(at: here), let b = samples.sample(at: there) else { return nil }
      let turning = 0.5 * (a.angularVelocity + b.angularVelocity), pulling = 0.5 * (a.specificForce + b.specificForce)
      let (rate, force) = intrinsics.corrected(angularVelocity: turning, specificForce: pulling)
      let dt = there.seconds(since: here)
      let next = weightless.propagated(state, angularVelocity: rate, specificForce: force, dt: dt)
      let step = weightless.transition(
        from: state, first: (state.position, state.velocity), to: next, angularVelocity: rate, specificForce: force,
        dt: dt)
      let spacing = samples.spacing(from: here, to: there)
      let added = noise.gathered(over: step, quality: InertialNoise.quality(ofSpacing: spacing), spacing: spacing)
      byIntrinsics.extend(over: step, rate: turning, force: pulling)
      transition = step * transition
      gathered = step.carried(gathered)
      for i in 0..<5 { for j in 0..<5 { gathered[i, j] += added[i, j] } }
      (state, here) = (next, there)
    }
    guard state.isFinite else { return nil }
    duration = end.seconds(since: start)
    delta = state
    self.transition = transition
    self.intrinsics = intrinsics
    self.byIntrinsics = byIntrinsics.byTriple
    covariance = gathered.rowMajor
  }

  /// D_R, D_p, D_v at the biases of a state and other axes of the unit, to first order; `turn` is the change of D_R.
  package func delta(_ state: InertialState, _ intrinsics: IMUIntrinsics) -> (
    rotation: Rotation, position: Vector3, velocity: Vector3, turn: Vector3
  ) {
    let dg = state.gyroscopeBias - delta.gyroscopeBias, da = state.accelerometerBias - delta.accelerometerBias
    var turn = transition.rotationByGyroscopeBias * dg
    var position = transition.positionByGyroscopeBias * dg + transition.positionByAccelerometerBias * da
    var velocity = transition.velocityByGyroscopeBias * dg + transition.velocityByAccelerometerBias * da
    for (k, by) in byIntrinsics.enumerated() {
      let change = intrinsics.triples[k] - self.intrinsics.triples[k]
      turn += by.theta * change
      position += by.position * change
      velocity += by.velocity * change
    }
    return (Rotation.exp(turn) * delta.rotation, delta.position + position, delta.velocity + velocity, turn)
  }

  /// The state at the end, from the state at the start, at the axes of the integration; gravity in the world, m/s^2.
  package func carried(_ state: InertialState, gravity: Vector3) -> InertialState {
    let d = delta(state, intrinsics)
    var next = state
    next.rotation = state.rotation * d.rotation
    next.velocity += gravity * duration + state.rotation * d.velocity
    next.position += state.velocity * duration + gravity * (0.5 * duration * duration) + state.rotation * d.position
    return next
  }
}
