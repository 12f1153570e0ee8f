import Foundation
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

/// Integrals of a rotation at constant rate, with phi the rotation vector of the whole step: `Gamma_1 = int_0^1 Exp(s
/// phi) ds` (the left Jacobian) and `Gamma_2 = int_0^1 int_0^s Exp(u phi) du ds`.
///
/// `Gamma_1 = I + c1 [phi]x + c2 [phi]x^2`, `Gamma_2 = I/2 + c2 [phi]x + c3 [phi]x^2`. Power series are used below one
/// radian (every step of a real recording), where the closed forms suffer from cancellation.
/// Source: Bloesch et al., "State estimation for legged robots", RSS 2012, doi:10.15607/RSS.2012.VIII.003.
private struct RotationIntegrals {
  private let phi: Vector3
  private let squared: Double
  /// `c_k = sum_j (-1)^j |phi|^2j / (2j + k + 1)!`.
  private let c1, c2, c3: Double

  /// The integrals for one step's rotation vector, radians.
  package init(_ phi: Vector3) {
    self.phi = phi
    squared = phi.squaredNorm
    if squared < 1 {
      let values = Self.series(squared).values
      (c1, c2, c3) = (values[0], values[1], values[2])
    } else {
      let angle = squared.squareRoot()
      let (sine, cosine) = (sin(angle), cos(angle))
      c1 = (1 - cosine) / squared
      c2 = (angle - sine) / (squared * angle)
      c3 = (squared / 2 + cosine - 1) / (squared * squared)
    }
  }

  /// `Gamma_1 v`.
  package func once(_ v: Vector3) -> Vector3 {
    let rotated = phi.cross(v)
    return v + c1 * rotated + c2 * phi.cross(rotated)
  }

  /// `Gamma_2 v`.
  package func twice(_ v: Vector3) -> Vector3 {
    let rotated = phi.cross(v)
    return 0.5 * v + c2 * rotated + c3 * phi.cross(rotated)
  }

  /// `Gamma_1` as a matrix.
  package var once: Matrix3 { Self.matrix(phi, 1, c1, c2) }
  /// `Gamma_2` as a matrix.
  package var twice: Matrix3 { Self.matrix(phi, 0.5, c2, c3) }

  /// `d(Gamma_1 v) / d phi`.
  package func onceDerivative(_ v: Vector3) -> Matrix3 { derivative(v, c1, c2, slopes.0, slopes.1) }
  /// `d(Gamma_2 v) / d phi`.
  package func twiceDerivative(_ v: Vector3) -> Matrix3 { derivative(v, c2, c3, slopes.1, slopes.2) }

  private static func matrix(_ phi: Vector3, _ a: Double, _ b: Double, _ c: Double) -> Matrix3 {
    let k = phi.skew
    return Matrix3(diagonal: Vector3(repeating: a)) + b * k + c * (k * k)
  }

  private func derivative(_ v: Vector3, _ a: Double, _ b: Double, _ da: Double, _ db: Double) -> Matrix3 {
    let rotated = phi.cross(v)
    let twice = phi.cross(rotated)
    let direct: Matrix3 =
      Matrix3(diagonal: Vector3(repeating: phi.dot(v))) + Matrix3(outer: phi, v) - 2.0 * Matrix3(outer: v, phi)
    return (-a) * v.skew + b * direct + Matrix3(outer: da * rotated + db * twice, phi)
  }

  /// The derivatives of the `c_k` by |phi|, divided by |phi|.
  private var slopes: (Double, Double, Double) {
    guard squared >= 1 else {
      let slopes = Self.series(squared).slopes
      return (slopes[0], slopes[1], slopes[2])
    }
    let angle = squared.squareRoot()
    return ((sin(angle) / angle - 2 * c1) / squared, (c1 - 3 * c2) / squared, (c2 - 4 * c3) / squared)
  }

  /// Ratios of consecutive terms of the series of c_1, c_2 and c_3, without the factor |phi|^2.
  private static let steps: [SIMD4<Double>] = (1...8).map { (j: Int) -> SIMD4<Double> in
    func step(_ k: Int) -> Double {
      let factors: Int = (2 * j + k) * (2 * j + k + 1)
      return -1.0 / Double(factors)
    }
    return SIMD4(step(1), step(2), step(3), 0)
  }

  /// The `c_k` and their derivatives by |phi| over |phi|, to machine precision for |phi| < 1 (omitted terms are below
  /// 1e-17); x = |phi|^2.
  private static func series(_ x: Double) -> (values: SIMD4<Double>, slopes: SIMD4<Double>) {
    var term = SIMD4(1.0 / 2, 1.0 / 6, 1.0 / 24, 0)
    var values = term, slopes = SIMD4<Double>.zero, twice = 2.0
    for step in steps {
      term *= step
      slopes += twice * term
      term *= x
      values += term
      twice += 2
    }
    return (values, slopes)
  }
}
