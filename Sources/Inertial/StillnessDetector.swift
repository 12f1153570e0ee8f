import Geometry
import SensorData

/// Judges from inertial samples alone whether the device stands still.
///
/// Mean over the window of the squared deviations, in sigmas, of specific force and angular rate from their own means: 1 for
/// a device at rest with exact noise figures. A generalised likelihood ratio test. A steady motion is left to others.
/// Source: Skog, Handel, Nilsson, Rantakokko, "Zero-velocity detection", TBME 57(11), 2010,
/// doi:10.1109/TBME.2010.2060723.
package struct StillnessDetector: Sendable {
  /// Length of the window, seconds.
  package static let window = 0.5

  /// Statistic below which a device counts as at rest when the picture stands still too: noise figures of calibrations are
  /// good to some tens of per cent.
  package static let atRest = 2.0
  /// The same without a second witness.
  package static let surelyAtRest = 1.3

  private let gyroscope, accelerometer: Double

  /// From the calibration's densities.
  package init(_ calibration: IMUCalibration) {
    gyroscope = calibration.gyroscopeNoiseDensity
    accelerometer = calibration.accelerometerNoiseDensity
  }

  /// The statistic over the samples of one window; nil with fewer than ten of them or less than 80 % of the window.
  package func statistic(_ samples: ArraySlice<IMUSample>) -> Double? {
    guard samples.count >= 10, let first = samples.first, let last = samples.last else { return nil }
    let span = last.timestamp.seconds(since: first.timestamp)
    guard span >= 0.8 * Self.window else { return nil }
    let rate = Double(samples.count - 1) / span
    let gyroscopeVariance = gyroscope * gyroscope * rate, accelerometerVariance = accelerometer * accelerometer * rate
    guard gyroscopeVariance > 0, accelerometerVariance > 0 else { return nil }
    let count = Double(samples.count)
    let force = samples.reduce(Vector3.zero) { $0 + $1.specificForce } / count
    let turn = samples.reduce(Vector3.zero) { $0 + $1.angularVelocity } / count
    var sum = 0.0
    for sample in samples {
      sum += (sample.specificForce - force).squaredNorm / accelerometerVariance
      sum += (sample.angularVelocity - turn).squaredNorm / gyroscopeVariance
    }
    return sum / (6 * count)
  }
}
