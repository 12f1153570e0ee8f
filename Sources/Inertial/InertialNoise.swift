import Foundation
import Geometry
import SensorData

/// Process noise of the inertial error state: the calibration's four densities, increased across gaps and saturation.
package struct InertialNoise: Sendable {
  /// Density of the samples around a step.
  package enum Quality: Equatable, Sendable {
    /// At the sensor's rate.
    case dense
    /// A few samples are missing (over 20 ms); values in between are interpolated.
    case interpolated
    /// Over 100 ms without a sample: the motion in between is unknown.
    case dropout
  }

  /// Longest sample spacing of `dense`, seconds.
  static let denseSpacing = 0.02
  /// Longest sample spacing of `interpolated`, seconds.
  package static let dropoutSpacing = 0.1
  /// Longest gap that can be bridged, seconds; beyond it the state is lost.
  package static let longestSpacing = 1.0

  /// Correlation time of a hand's acceleration, seconds.
  private static let memory = 0.25
  /// Error of a saturated reading, as a fraction of the sensor's range.
  private static let missingFraction = 0.5

  private let gyroscope, gyroscopeRandomWalkDensity, accelerometer, accelerometerRandomWalkDensity: Double

  /// From the calibration's densities.
  ///
  /// - Parameter instability: the accelerometer's bias instability, if it is to be approximated by its equivalent
  ///   random walk.
  package init(_ calibration: IMUCalibration, instability: AccelerometerInstability? = nil) {
    gyroscope = calibration.gyroscopeNoiseDensity
    gyroscopeRandomWalkDensity = calibration.gyroscopeRandomWalk
    accelerometer = calibration.accelerometerNoiseDensity
    let stated = calibration.accelerometerRandomWalk
    accelerometerRandomWalkDensity =
      instability.map { (stated * stated + $0.equivalentRandomWalk * $0.equivalentRandomWalk).squareRoot() } ?? stated
  }

  /// Quality of a sample spacing in seconds.
  package static func quality(ofSpacing spacing: Double) -> Quality {
    spacing <= denseSpacing ? .dense : spacing <= dropoutSpacing ? .interpolated : .dropout
  }

  /// White noise of the mean of two neighbouring readings, `spacing` seconds apart: variance per component of the rate,
  /// (rad/s)^2, and of the force, (m/s^2)^2.
  package func readingVariances(spacing: Double) -> (rate: Double, force: Double) {
    guard spacing > 0 else { return (0, 0) }
    return (0.5 * gyroscope * gyroscope / spacing, 0.5 * accelerometer * accelerometer / spacing)
  }

  /// Variance added to a component of the accelerometer bias over a time in seconds, (m/s^2)^2.
  package func accelerometerRandomWalkVariance(over seconds: Double) -> Double {
    accelerometerRandomWalkDensity * accelerometerRandomWalkDensity * seconds
  }

  /// Discrete process noise of one step, by the trapezoid rule on `Phi G Qc G^T Phi^T`.
  ///
  /// Within 50 ms a hand changes its rate and acceleration by roughly 0.2 rad/s and 1 m/s^2; over a dropout by 1.5
  /// rad/s and 5 m/s^2. The white noise density of such a step is raised by `amplitude^2 * spacing`: unknown motions
  /// are independent from gap to gap. The factor `spacing` is limited to the correlation time of 0.25 s, because a hand
  /// swings back.
  ///
  /// For saturated readings, `saturation` is the range limit (rad/s, m/s^2; 0 if none): half of it may be missing for
  /// the same correlation time.
  package func processNoise(
    over step: InertialTransition, quality: Quality, spacing: Double, saturation: (rate: Double, force: Double) = (0, 0)
  ) -> BlockMatrix15 {
    let (rate, force): (Double, Double) =
      switch quality {
      case .dense: (0, 0)
      case .interpolated: (0.2, 1)
      case .dropout: (1.5, 5)
      }
    let dt = step.dt, memory = min(spacing, Self.memory)
    var q = BlockMatrix15()
    let missing = (rate: Self.missingFraction * saturation.rate, force: Self.missingFraction * saturation.force)
    let unknownRate = rate * rate * memory + missing.rate * missing.rate * Self.memory
    let unknownForce = force * force * memory + missing.force * missing.force * Self.memory
    q[0, 0] = Self.diagonal(gyroscope * gyroscope + unknownRate)
    q[2, 2] = Self.diagonal(accelerometer * accelerometer + unknownForce)
    q[3, 3] = Self.diagonal(gyroscopeRandomWalkDensity * gyroscopeRandomWalkDensity)
    q[4, 4] = Self.diagonal(accelerometerRandomWalkDensity * accelerometerRandomWalkDensity)
    let carried = step.carried(q)
    var sum = BlockMatrix15()
    for i in 0..<5 { for j in 0..<5 { sum[i, j] = (0.5 * dt) * (q[i, j] + carried[i, j]) } }
    return sum
  }

  private static func diagonal(_ variance: Double) -> Matrix3 { Matrix3(diagonal: Vector3(repeating: variance)) }
}

/// Grade of an inertial unit, and the prior 1-sigma of its biases.
///
/// The accelerometer's noise density separates units calibrated axis by axis from others at 5 mm/s^2/sqrt(Hz): the BMI055 and its like
/// have 9 to 20, the ADIS16448 of the EuRoC data sets has 2. It says nothing about the bias: modern phones have 2 to 5 and biases of 0.6 to
/// 0.8 m/s^2 (docs/experiments/wide-bias-priors.md), so that the prior is that of a phone for all. Without rotation, tilt and bias are not
/// separately observable, and on a straight walk the whole prior goes into the vertical.
package struct SensorGrade: Equatable, Sendable {
  /// Phone grade: axes and scale factors are not calibrated.
  package var isPhone: Bool
  /// 1-sigma of the gyroscope bias, rad/s.
  package var gyroscopeBias: Double
  /// 1-sigma of the accelerometer bias, m/s^2.
  package var accelerometerBias: Double
  /// 1-sigma of the accelerometer bias of a unit calibrated axis by axis, m/s^2: 20 mg, uniform.
  package var narrowAccelerometerBias: Double
  /// Probability that a unit is such a one, as far as its noise says.
  package var narrowBiasProbability: Double

  /// From the calibration.
  package init(_ calibration: IMUCalibration) {
    let phone = calibration.accelerometerNoiseDensity > 0.005
    isPhone = phone
    gyroscopeBias = 0.03
    accelerometerBias = 0.5
    narrowAccelerometerBias = 0.113
    narrowBiasProbability = phone ? 0 : 0.5
  }
}

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
