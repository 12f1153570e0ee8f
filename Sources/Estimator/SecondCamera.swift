import SensorData

/// A camera beside the one whose poses are kept.
struct SecondCamera {
  /// Farthest apart two frames may be to be of one moment, seconds: a turn of 1 rad/s is then worth less than a pixel.
  static let tolerance = 0.001

  /// As the filter needs it.
  let camera: FilterCamera
  /// Seconds from its clock to the IMU's.
  let timeOffset: Double
  /// A feature has the same number in both cameras.
  let sharesIDs: Bool

  init(_ calibration: CameraCalibration, imu: IMUCalibration, beside first: CameraCalibration) {
    camera = FilterCamera(calibration, imu: imu, beside: first)
    timeOffset = calibration.timeOffset
    sharesIDs = calibration.featureIDs == .shared
  }
}
