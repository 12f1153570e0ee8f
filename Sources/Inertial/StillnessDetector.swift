import Geometry
import SensorData

/// Zero-velocity detection from inertial samples alone: a generalised likelihood ratio test.
///
/// Statistic: mean over the window of the squared deviations of specific force and angular rate from their means, in
/// sigmas. It is 1 for a stationary device with exact noise figures. A constant velocity or rate is not detected.
/// Source: Skog, Handel, Nilsson, Rantakokko, "Zero-velocity detection", TBME 57(11), 2010,
/// doi:10.1109/TBME.2010.2060723.
package struct StillnessDetector: Sendable {
  /// Length of the window, seconds.
  package static let window = 0.5

  /// Statistic below which a device counts as stationary if the image is still too: calibrated noise figures are good
  /// to some tens of per cent.
  package static let stationaryLimit = 2.0
  /// The limit without an image to confirm.
  package static let stationaryLimitWithoutImage = 1.3

  private let gyroscope, accelerometer: Double

  /// From the calibration's densities.
  package init(_ calibration: IMUCalibration) {
    gyroscope = calibration.gyroscopeNoiseDensity
    accelerometer = calibration.accelerometerNoiseDensity
  }

  /// The test statistic of one window's samples; nil with fewer than ten samples or less than 80 % of the window.
  package func statistic(_ samples: ArraySlice<IMUSample>) -> Double? {
    guard samples.count >= 10, let first = samples.first, let last = samples.last else { return nil }
    let span = last.timestamp.seconds(since: first.timestamp)
    guard span >= 0.8 * Self.window else { return nil }
    let rate = Double(samples.count - 1) / span
    let gyroscopeVariance = gyroscope * gyroscope * rate, accelerometerVariance = accelerometer * accelerometer * rate
    guard gyroscopeVariance > 0, accelerometerVariance > 0 else { return nil }
    let count = Double(samples.count)
    let meanForce = samples.reduce(Vector3.zero) { $0 + $1.specificForce } / count
    let meanRate = samples.reduce(Vector3.zero) { $0 + $1.angularVelocity } / count
    var sum = 0.0
    for sample in samples {
      sum += (sample.specificForce - meanForce).squaredNorm / accelerometerVariance
      sum += (sample.angularVelocity - meanRate).squaredNorm / gyroscopeVariance
    }
    return sum / (6 * count)
  }
}
