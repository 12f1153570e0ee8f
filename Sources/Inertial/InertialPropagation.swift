import Geometry
import SensorData

/// IMU propagation (mean) of the inertial state over one step with constant angular rate and specific force in the
/// body:
///
/// `R+ = R Exp(phi)`, `v+ = v + g dt + R Gamma_1 a dt`, `p+ = p + v dt + g dt^2 / 2 + R Gamma_2 a dt^2`,
///
/// with `phi = (omega - b_g) dt` and `a = f - b_a`. Exact for that model.
/// Source: Eckenhoff, Geneva, Huang, "Closed-form preintegration methods for graph-based visual-inertial navigation",
/// IJRR 38(5), 2019, doi:10.1177/0278364919835021.
package struct InertialPropagation: Sendable {
  /// Gravity in the world, m/s^2.
  package var gravity: Vector3

  /// For a world whose z axis is up.
  package init(gravityMagnitude: Double) { gravity = Vector3(0, 0, -gravityMagnitude) }

  /// The state `dt` seconds later.
  ///
  /// - Parameters:
  ///   - angularVelocity: measured, IMU axes, rad/s.
  ///   - specificForce: measured, IMU axes, m/s^2.
  package func propagated(
    _ state: InertialState, angularVelocity: Vector3, specificForce: Vector3, dt: Double
  ) -> InertialState {
    let phi = (angularVelocity - state.gyroscopeBias) * dt
    let a = specificForce - state.accelerometerBias
    let integrals = RotationIntegrals(phi)
    var next = state
    next.rotation = state.rotation * Rotation.exp(phi)
    next.velocity += gravity * dt + state.rotation * integrals.once(a) * dt
    next.position += state.velocity * dt + (0.5 * gravity + state.rotation * integrals.twice(a)) * (dt * dt)
    return next
  }

  /// Error-state transition over the same step, with first-estimates Jacobians (FEJ): position and velocity differences
  /// are taken between `first` (first estimates at the start of the step) and `next` (the propagated state). Products
  /// over consecutive steps then preserve the four unobservable directions exactly.
  /// Source: Li and Mourikis, "High-precision, consistent EKF-based visual-inertial odometry", IJRR 32(6), 2013,
  /// doi:10.1177/0278364913481251.
  package func transition(
    from state: InertialState, first: (position: Vector3, velocity: Vector3), to next: InertialState,
    angularVelocity: Vector3, specificForce: Vector3, dt: Double
  ) -> InertialTransition {
    let phi = (angularVelocity - state.gyroscopeBias) * dt
    let a = specificForce - state.accelerometerBias
    let integrals = RotationIntegrals(phi)
    let r = state.rotation.matrix
    let once = r * integrals.once, twice = r * integrals.twice
    return InertialTransition(
      dt: dt,
      rotationByGyroscopeBias: -dt * once,
      velocityByRotation: -(next.velocity - first.velocity - gravity * dt).skew,
      velocityByGyroscopeBias: -(dt * dt) * (r * integrals.onceDerivative(a)),
      velocityByAccelerometerBias: -dt * once,
      positionByRotation: -(next.position - first.position - first.velocity * dt - gravity * (0.5 * dt * dt)).skew,
      positionByGyroscopeBias: -(dt * dt * dt) * (r * integrals.twiceDerivative(a)),
      positionByAccelerometerBias: -(dt * dt) * twice)
  }
}
