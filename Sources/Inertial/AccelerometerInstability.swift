import Foundation
import Geometry
import SensorData

/// How the bias of a phone's accelerometer wanders about a mean, beyond the random walk that a calibration states: a first-order
/// Gauss-Markov process on each axis.
///
/// A noise density and a random walk are what a unit shows that lies on a table. In a hand it warms up, is held now this way and now that, and
/// shaken: a few kelvin at some 1 mg/K are 5 mg. That figure and the memory are judgements, not measured on any unit. What that makes
/// of a reading lasts, so that no white noise can stand for it, but it does not grow for ever as a walk does.
/// Source of the process: Maybeck, "Stochastic Models, Estimation, and Control", volume 1, Academic Press 1979, section 4.11.
package struct AccelerometerInstability: Equatable, Sendable {
  /// Stationary 1-sigma of an axis, m/s^2: 5 mg.
  package let sigma = 0.05
  /// How long it keeps on, seconds: as long as a hand holds a device one way.
  package let memory = 10.0

  /// Of a phone's unit; nil for one that was calibrated with care.
  package init?(_ calibration: IMUCalibration) { guard SensorGrade(calibration).isPhone else { return nil } }

  /// Stationary variance, (m/s^2)^2.
  package var variance: Double { sigma * sigma }

  /// What is left of a deviation after so many seconds, 0...1. Law: `left(a) left(b) == left(a + b)`.
  package func left(after seconds: Double) -> Double { exp(-seconds / memory) }

  /// Variance of what has come in the meantime, (m/s^2)^2. Law: `left^2 variance + variance(after:) == variance`.
  package func variance(after seconds: Double) -> Double {
    let left = left(after: seconds)
    return variance * (1 - left * left)
  }

  /// Density of the random walk that grows as fast over a time much shorter than the memory, m/s^3/sqrt(Hz).
  package var walk: Double { (2 * variance / memory).squareRoot() }

  /// A bias and its mean, m/s^2, after so many seconds.
  package func bias(_ bias: Vector3, mean: Vector3, after seconds: Double) -> Vector3 {
    mean + left(after: seconds) * (bias - mean)
  }

  /// Its Jacobian by the inertial error state, 15 x 15, row-major: everything else stays.
  package func byState(after seconds: Double) -> [Double] {
    let n = InertialState.errorSize, left = left(after: seconds)
    var result = [Double](repeating: 0, count: n * n)
    for i in 0..<n { result[i * (n + 1)] = i < Self.first ? 1 : left }
    return result
  }

  /// Its Jacobian by the mean, 15 x 3, row-major.
  package func byMean(after seconds: Double) -> [Double] {
    var result = [Double](repeating: 0, count: InertialState.errorSize * 3)
    for i in 0..<3 { result[(Self.first + i) * 3 + i] = 1 - left(after: seconds) }
    return result
  }

  /// What comes in the meantime, variances of the inertial error state, 15 numbers.
  package func gathered(after seconds: Double) -> [Double] {
    (0..<InertialState.errorSize).map { $0 < Self.first ? 0 : variance(after: seconds) }
  }

  /// The mean is the bias without its deviation: its Jacobian by the inertial error state, 3 x 15, row-major.
  package static let meanByState: [Double] = {
    var result = [Double](repeating: 0, count: 3 * InertialState.errorSize)
    for i in 0..<3 { result[i * InertialState.errorSize + first + i] = 1 }
    return result
  }()

  /// Where the accelerometer's bias stands in the error state.
  private static let first = 12
}
