import SensorData

/// A second camera, synchronised with the camera of the clones.
struct SecondCamera {
  /// Largest time difference of synchronised frames, seconds: below a pixel at 1 rad/s.
  static let tolerance = 0.001

  /// Its model.
  var camera: FilterCamera
  /// Seconds from its clock to the IMU's.
  let timeOffset: Double
  /// Whether a feature has the same id in both cameras.
  let sharesIDs: Bool

  init(_ calibration: CameraCalibration, imu: IMUCalibration, beside first: CameraCalibration) {
    camera = FilterCamera(calibration, imu: imu, beside: first)
    timeOffset = calibration.timeOffset
    sharesIDs = calibration.featureIDs == .shared
  }
}
