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
  package static let denseSpacing = 0.02
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
