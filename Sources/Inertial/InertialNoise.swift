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

  private let gyroscope, gyroscopeWalk, accelerometer, accelerometerWalk: Double

  /// From the calibration's densities.
  package init(_ calibration: IMUCalibration) {
    gyroscope = calibration.gyroscopeNoiseDensity
    gyroscopeWalk = calibration.gyroscopeRandomWalk
    accelerometer = calibration.accelerometerNoiseDensity
    accelerometerWalk = calibration.accelerometerRandomWalk
  }

  /// What a spacing of samples, in seconds, means.
  package static func quality(ofSpacing spacing: Double) -> Quality {
    spacing <= denseSpacing ? .dense : spacing <= dropoutSpacing ? .interpolated : .dropout
  }

  /// Noise gathered over one step, by the trapezoid rule on `Phi G Qc G^T Phi^T`.
  ///
  /// A hand changes its rate and acceleration by roughly 0.2 rad/s and 1 m/s^2 within 50 ms and, over a dropout, by
  /// anything a hand does (1.5 rad/s, 5 m/s^2): the white noise of such a step is raised by `amplitude^2 * spacing`, which
  /// treats the unknown motion as independent from gap to gap.
  package func gathered(over step: InertialTransition, quality: Quality, spacing: Double) -> BlockMatrix15 {
    let (rate, force): (Double, Double) =
      switch quality {
      case .dense: (0, 0)
      case .interpolated: (0.2, 1)
      case .dropout: (1.5, 5)
      }
    let dt = step.dt
    var q = BlockMatrix15()
    q[0, 0] = Self.diagonal(gyroscope * gyroscope + rate * rate * spacing)
    q[2, 2] = Self.diagonal(accelerometer * accelerometer + force * force * spacing)
    q[3, 3] = Self.diagonal(gyroscopeWalk * gyroscopeWalk)
    q[4, 4] = Self.diagonal(accelerometerWalk * accelerometerWalk)
    let carried = step.carried(q)
    var sum = BlockMatrix15()
    for i in 0..<5 { for j in 0..<5 { sum[i, j] = (0.5 * dt) * (q[i, j] + carried[i, j]) } }
    return sum
  }

  private static func diagonal(_ variance: Double) -> Matrix3 { Matrix3(diagonal: Vector3(repeating: variance)) }
}
