import Foundation
import Geometry
import SensorData

/// In-run bias instability of a phone's accelerometer: a first-order Gauss-Markov process on each axis about a mean
/// bias.
///
/// A calibration's noise density and random walk describe a unit lying on a table. In a hand it warms up by a few
/// kelvin, at some 1 mg/K, and is tilted and shaken: 5 mg. Magnitude and correlation time are judgements, not measured
/// on any unit. White noise cannot represent such a lasting error, and a random walk would grow without bound.
/// Source of the process: Maybeck, "Stochastic Models, Estimation, and Control", volume 1, Academic Press 1979, section
/// 4.11.
package struct AccelerometerInstability: Equatable, Sendable {
  /// Stationary 1-sigma of an axis, m/s^2: 5 mg.
  package let sigma = 0.05
  /// Correlation time, seconds: about as long as a hand holds a device in one attitude.
  package let memory = 10.0

  /// For a phone-grade unit; nil for a carefully calibrated one.
  package init?(_ calibration: IMUCalibration) { guard SensorGrade(calibration).isPhone else { return nil } }

  /// Stationary variance, (m/s^2)^2.
  package var variance: Double { sigma * sigma }

  /// Decay of a deviation over a time in seconds, 0...1. Law: `left(a) left(b) == left(a + b)`.
  package func left(after seconds: Double) -> Double { exp(-seconds / memory) }

  /// Variance added over a time in seconds, (m/s^2)^2. Law: `left^2 variance + variance(after:) == variance`.
  package func variance(after seconds: Double) -> Double {
    let left = left(after: seconds)
    return variance * (1 - left * left)
  }

  /// Density of the random walk with the same growth over times much shorter than the correlation time, m/s^3/sqrt(Hz).
  package var equivalentRandomWalk: Double { (2 * variance / memory).squareRoot() }

  /// Expected bias after a time, given bias and mean, m/s^2.
  package func bias(_ bias: Vector3, mean: Vector3, after seconds: Double) -> Vector3 {
    mean + left(after: seconds) * (bias - mean)
  }

  /// Jacobian of the new bias by the inertial error state, 15 x 15, row-major; identity for all other states.
  package func byState(after seconds: Double) -> [Double] {
    let n = InertialState.errorSize, left = left(after: seconds)
    var result = [Double](repeating: 0, count: n * n)
    for i in 0..<n { result[i * (n + 1)] = i < Self.first ? 1 : left }
    return result
  }

  /// Jacobian of the new bias by the mean, 15 x 3, row-major.
  package func byMean(after seconds: Double) -> [Double] {
    var result = [Double](repeating: 0, count: InertialState.errorSize * 3)
    for i in 0..<3 { result[(Self.first + i) * 3 + i] = 1 - left(after: seconds) }
    return result
  }

  /// Process noise: variances of the inertial error state, 15 numbers.
  package func processNoise(after seconds: Double) -> [Double] {
    (0..<InertialState.errorSize).map { $0 < Self.first ? 0 : variance(after: seconds) }
  }

  /// Jacobian of the mean (bias minus its deviation) by the inertial error state, 3 x 15, row-major.
  package static let meanByState: [Double] = {
    var result = [Double](repeating: 0, count: 3 * InertialState.errorSize)
    for i in 0..<3 { result[i * InertialState.errorSize + first + i] = 1 }
    return result
  }()

  /// First row of the accelerometer bias in the error state.
  private static let first = 12
}
