import Foundation
import Geometry
import SensorData

/// Tests the accelerometer's size against gravity, by the inertial unit alone.
///
/// The mean specific force over T seconds, in axes that the gyroscope holds still, is
/// `mean(R f) = -g + mean(R b) + (v(T) - v(0)) / T`. Its size differs from g by a normal deviate of variance
/// `sigma_b^2 + (sigma_v / T)^2`. Its direction: `GravityDirection`.
package struct GravityMagnitude {
  /// What is wrong with the accelerometer.
  package enum Cause: Equatable {
    /// Readings are gravity's size times this.
    case scale(Double)
    /// Nothing of gravity is in the readings.
    case missing
  }

  package struct Outcome {
    package var cause: Cause
    /// Log likelihood ratio, or half the square of the deviate.
    package var ratio: Double
    /// What was measured, m/s^2.
    var mean: Double
    var seconds: Double
  }

  /// Local gravity, m/s^2.
  let gravity: Double
  /// 1-sigma of an accelerometer's bias before anything is known, m/s^2, and of a hand's change of velocity, m/s.
  private static let sigma = (bias: 0.5, velocity: 1.5)
  /// Length of the window, seconds.
  private static let length = 3.0
  /// Deviate beyond which the size is refuted: two-sided risk 2e-9 a window.
  private static let limit = 6.0
  /// Share by which the readings' size must agree with a known factor.
  private static let known = 0.12

  package init(gravity: Double) { self.gravity = gravity }

  /// The test of the size over the newest window; nil where it is as it should be, or unknown.
  package func size(_ history: InertialHistory) -> Outcome? {
    guard let newest = history.newest, let b = history.node(at: newest),
      let a = history.node(at: newest.advanced(bySeconds: -Self.length))
    else { return nil }
    let seconds = b.time.seconds(since: a.time)
    let mean = ((b.velocity - a.velocity) / seconds).norm
    let spread = (Self.sigma.bias * Self.sigma.bias + pow(Self.sigma.velocity / seconds, 2)).squareRoot()
    let deviate = (mean - gravity) / spread
    guard abs(deviate) > Self.limit else { return nil }
    let cause: Cause = mean < 0.35 * gravity / 9.8 && mean < 0.5 ? .missing : .scale(mean / gravity)
    return Outcome(cause: cause, ratio: 0.5 * deviate * deviate, mean: mean, seconds: seconds)
  }

  /// The factor of a known unit that readings of `scale` times gravity are in, with its name; nil where none fits.
  package static func unit(_ scale: Double) -> (name: String, factor: Double)? {
    let units: [(String, Double)] = [
      ("g", 1 / 9.80665), ("mg", 1000 / 9.80665), ("cm/s^2", 100.0), ("mm/s^2", 1000.0), ("ft/s^2", 3.28084),
    ]
    return units.first { abs(log(scale / $0.1)) < Self.known }.map { ($0.0, $0.1) }
  }
}
