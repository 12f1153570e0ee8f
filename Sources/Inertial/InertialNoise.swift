import Geometry
import SensorData

/// Process noise of the inertial error state from the four figures of the calibration, and what gaps add to it.
package struct InertialNoise: Sendable {
  /// How densely the samples lie around a step.
  package enum Quality: Equatable, Sendable {
    /// As the sensor delivers.
    case dense
    /// A few samples are missing (over 20 ms): what lies between is interpolated.
    case interpolated
    /// Over 100 ms without a sample: the motion in between is unknown.
    case dropout
  }

  /// Longest spacing of samples that needs no interpolation, seconds.
  package static let denseSpacing = 0.02
  /// Spacing from which the motion in between counts as unknown, seconds.
  package static let dropoutSpacing = 0.1
  /// Spacing beyond which nothing links what was before with what comes after, seconds.
  package static let longestSpacing = 1.0

  /// How long a hand keeps its acceleration, seconds.
  private static let memory = 0.25
  /// What may be missing of a reading that was cut, as a share of the range.
  private static let missingShare = 0.5

  private let gyroscope, gyroscopeRandomWalkVariance, accelerometer, accelerometerRandomWalkVariance: Double

  /// From the calibration's densities.
  ///
  /// - Parameter wander: of the accelerometer's bias, where it is to be taken for a walk that grows as fast.
  package init(_ calibration: IMUCalibration, wander: AccelerometerInstability? = nil) {
    gyroscope = calibration.gyroscopeNoiseDensity
    gyroscopeRandomWalkVariance = calibration.gyroscopeRandomWalk
    accelerometer = calibration.accelerometerNoiseDensity
    let walk = calibration.accelerometerRandomWalk
    accelerometerRandomWalkVariance = wander.map { (walk * walk + $0.walk * $0.walk).squareRoot() } ?? walk
  }

  /// What a spacing of samples, in seconds, means.
  package static func quality(ofSpacing spacing: Double) -> Quality {
    spacing <= denseSpacing ? .dense : spacing <= dropoutSpacing ? .interpolated : .dropout
  }

  /// White noise of the mean of two neighbouring readings, `spacing` seconds apart: variances of a component of the rate,
  /// (rad/s)^2, and of the force, (m/s^2)^2.
  package func readingVariances(spacing: Double) -> (rate: Double, force: Double) {
    guard spacing > 0 else { return (0, 0) }
    return (0.5 * gyroscope * gyroscope / spacing, 0.5 * accelerometer * accelerometer / spacing)
  }

  /// By how much the accelerometer's bias walks in so many seconds: variance of a component, (m/s^2)^2.
  package func accelerometerRandomWalkStep(over seconds: Double) -> Double {
    accelerometerRandomWalkVariance * accelerometerRandomWalkVariance * seconds
  }

  /// Noise gathered over one step, by the trapezoid rule on `Phi G Qc G^T Phi^T`.
  ///
  /// A hand changes its rate and acceleration by roughly 0.2 rad/s and 1 m/s^2 within 50 ms and, over a dropout, by
  /// anything a hand does (1.5 rad/s, 5 m/s^2): the white noise of such a step is raised by `amplitude^2 * spacing`, which
  /// treats the unknown motion as independent from gap to gap, and beyond a quarter of a second as independent from then on,
  /// since a hand swings back.
  ///
  /// Of readings that were cut at the end of the range, `cut` (rad/s, m/s^2; 0 where none was), half of the range may be
  /// missing for as long.
  package func gathered(
    over step: InertialTransition, quality: Quality, spacing: Double, cut: (rate: Double, force: Double) = (0, 0)
  ) -> BlockMatrix15 {
    let (rate, force): (Double, Double) =
      switch quality {
      case .dense: (0, 0)
      case .interpolated: (0.2, 1)
      case .dropout: (1.5, 5)
      }
    let dt = step.dt, memory = min(spacing, Self.memory)
    var q = BlockMatrix15()
    let missing = (rate: Self.missingShare * cut.rate, force: Self.missingShare * cut.force)
    let unknownRate = rate * rate * memory + missing.rate * missing.rate * Self.memory
    let unknownForce = force * force * memory + missing.force * missing.force * Self.memory
    q[0, 0] = Self.diagonal(gyroscope * gyroscope + unknownRate)
    q[2, 2] = Self.diagonal(accelerometer * accelerometer + unknownForce)
    q[3, 3] = Self.diagonal(gyroscopeRandomWalkVariance * gyroscopeRandomWalkVariance)
    q[4, 4] = Self.diagonal(accelerometerRandomWalkVariance * accelerometerRandomWalkVariance)
    let carried = step.carried(q)
    var sum = BlockMatrix15()
    for i in 0..<5 { for j in 0..<5 { sum[i, j] = (0.5 * dt) * (q[i, j] + carried[i, j]) } }
    return sum
  }

  private static func diagonal(_ variance: Double) -> Matrix3 { Matrix3(diagonal: Vector3(repeating: variance)) }
}
