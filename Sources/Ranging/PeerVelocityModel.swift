import Foundation
import Geometry

/// Velocity model of a moving peer: an Ornstein-Uhlenbeck (first-order Gauss-Markov) process in each axis.
///
/// With stationary 1-sigma s, correlation time tau, `phi = exp(-t / tau)` and the reach `b = tau (1 - phi)`, after t
/// seconds
///
///     p' = p + b v + e_p,  v' = phi v + e_v,
///     Var(e_v) = s^2 (1 - phi^2),  Cov(e_p, e_v) = s^2 tau (1 - phi)^2,
///     Var(e_p) = s^2 tau^2 (2 t / tau - 3 + 4 phi - phi^2).
///
/// Steps compose exactly. Source: Uhlenbeck and Ornstein, Physical Review 36, 1930, doi:10.1103/PhysRev.36.823.
package struct PeerVelocityModel: Equatable, Sendable {
  /// Stationary 1-sigma of the velocity in each axis of the world, m/s.
  package let speed: Vector3
  /// Correlation time of the velocity, seconds.
  package let memory: Double

  package init(speed: Vector3, memory: Double) {
    self.speed = speed
    self.memory = memory
  }

  /// Transition and process noise over an interval.
  package struct Step: Equatable, Sendable {
    /// Displacement per velocity, `b`, seconds.
    package let reach: Double
    /// Decay of the velocity, 0...1.
    package let phi: Double
    /// Process noise per axis: variance of the position (m^2), of the velocity (m^2/s^2), and their covariance (m^2/s).
    package let positionVariance, velocityVariance, crossCovariance: Vector3
  }

  /// The step of `seconds`, at least 0.
  package func step(_ seconds: Double) -> Step {
    let x = max(seconds, 0) / memory
    let phi = exp(-x)
    let forgotten = -expm1(-x)
    // 2 x - 3 + 4 phi - phi^2 cancels where x is small: there it is 2/3 x^3 - 1/2 x^4 + 7/30 x^5.
    let spread = x > 0.01 ? 2 * x - 3 + 4 * phi - phi * phi : x * x * x * (2.0 / 3 - x / 2 + 7 * x * x / 30)
    let square = speed * speed
    return Step(
      reach: memory * forgotten, phi: phi, positionVariance: memory * memory * spread * square,
      velocityVariance: forgotten * (1 + phi) * square, crossCovariance: memory * forgotten * forgotten * square)
  }
}
