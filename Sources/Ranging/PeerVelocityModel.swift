import Foundation
import Geometry

/// How a peer that is carried about moves: in each axis its velocity is a Gauss-Markov process, so that it isMoving on as it does for a
/// while and forgets over seconds where to.
///
/// With stationary 1-sigma s, memory tau, `phi = exp(-t / tau)` and the reach `b = tau (1 - phi)`, after t seconds
///
///     p' = p + b v + e_p,  v' = phi v + e_v,
///     Var(e_v) = s^2 (1 - phi^2),  Cov(e_p, e_v) = s^2 tau (1 - phi)^2,
///     Var(e_p) = s^2 tau^2 (2 t / tau - 3 + 4 phi - phi^2).
///
/// Two steps after each other are one of both lengths. Source: Uhlenbeck and Ornstein, Physical Review 36, 1930,
/// doi:10.1103/PhysRev.36.823.
package struct PeerVelocityModel: Equatable, Sendable {
  /// Stationary 1-sigma of the velocity in each axis of the world, m/s.
  package let speed: Vector3
  /// Seconds over which it forgets.
  package let memory: Double

  package init(speed: Vector3, memory: Double) {
    self.speed = speed
    self.memory = memory
  }

  /// What some seconds do.
  package struct Step: Equatable, Sendable {
    /// Metres gone for each m/s, seconds.
    package let reach: Double
    /// What is left of the velocity, 0...1.
    package let phi: Double
    /// Variances of what comes new, per axis: of the place (m^2), of the velocity (m^2/s^2), and their covariance (m^2/s).
    package let place, velocity, cross: Vector3
  }

  /// The step of `seconds`, at least 0.
  package func step(_ seconds: Double) -> Step {
    let x = max(seconds, 0) / memory
    let phi = exp(-x)
    let forgotten = -expm1(-x)
    // 2 x - 3 + 4 phi - phi^2 loses all its digits where x is small: there it is 2/3 x^3 - 1/2 x^4 + 7/30 x^5.
    let spread = x > 0.01 ? 2 * x - 3 + 4 * phi - phi * phi : x * x * x * (2.0 / 3 - x / 2 + 7 * x * x / 30)
    let square = speed * speed
    return Step(
      reach: memory * forgotten, phi: phi, place: memory * memory * spread * square,
      velocity: forgotten * (1 + phi) * square, cross: memory * forgotten * forgotten * square)
  }
}
