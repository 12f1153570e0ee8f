import Geometry
import SensorData

/// Judges from inertial samples alone whether the device stands still.
///
/// Mean over the window of the squared deviations, in sigmas, of the specific force from its own mean and of the angular
/// rate from the estimated bias: 1 for a device at rest with exact noise figures. A generalised likelihood ratio test.
/// Source: Skog, Handel, Nilsson, Rantakokko, "Zero-velocity detection", TBME 57(11), 2010,
/// doi:10.1109/TBME.2010.2060723.
package struct StillnessDetector: Sendable {
  /// Length of the window, seconds.
  package static let window = 0.5

  private let gyroscope, accelerometer: Double

  /// From the calibration's densities.
  package init(_ calibration: IMUCalibration) {
    gyroscope = calibration.gyroscopeNoiseDensity
    accelerometer = calibration.accelerometerNoiseDensity
  }

  /// The statistic over the samples of one window; nil with fewer than ten of them or less than 80 % of the window.
  package func statistic(_ samples: ArraySlice<IMUSample>, gyroscopeBias: Vector3) -> Double? {
    guard samples.count >= 10, let first = samples.first, let last = samples.last else { return nil }
    let span = last.timestamp.seconds(since: first.timestamp)
    guard span >= 0.8 * Self.window else { return nil }
    let rate = Double(samples.count - 1) / span
    let gyroscopeVariance = gyroscope * gyroscope * rate, accelerometerVariance = accelerometer * accelerometer * rate
    guard gyroscopeVariance > 0, accelerometerVariance > 0 else { return nil }
    let count = Double(samples.count)
    let mean = samples.reduce(Vector3.zero) { $0 + $1.specificForce } / count
    var sum = 0.0
    for sample in samples {
      sum += (sample.specificForce - mean).squaredNorm / accelerometerVariance
      sum += (sample.angularVelocity - gyroscopeBias).squaredNorm / gyroscopeVariance
    }
    return sum / (6 * count)
  }
}
