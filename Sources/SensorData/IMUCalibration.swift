import Geometry

/// Calibration of the IMU: extrinsics and Kalibr's four noise parameters.
public struct IMUCalibration: Equatable, Sendable {
  /// `T_BS`: the body from the IMU's axes.
  public var bodyFromIMU: Pose
  /// White noise of the gyroscope, rad/s/sqrt(Hz).
  public var gyroscopeNoiseDensity: Double
  /// Random walk of the gyroscope's bias, rad/s^2/sqrt(Hz).
  public var gyroscopeRandomWalk: Double
  /// White noise of the accelerometer, m/s^2/sqrt(Hz).
  public var accelerometerNoiseDensity: Double
  /// Random walk of the accelerometer's bias, m/s^3/sqrt(Hz).
  public var accelerometerRandomWalk: Double
  /// Local gravity, m/s^2.
  public var gravityMagnitude: Double
  /// Nominal rate, Hz: informative only.
  public var rate: Double?

  /// A calibration from its parts.
  public init(
    bodyFromIMU: Pose = .identity, gyroscopeNoiseDensity: Double, gyroscopeRandomWalk: Double,
    accelerometerNoiseDensity: Double, accelerometerRandomWalk: Double, gravityMagnitude: Double = 9.81,
    rate: Double? = nil
  ) {
    self.bodyFromIMU = bodyFromIMU
    self.gyroscopeNoiseDensity = gyroscopeNoiseDensity
    self.gyroscopeRandomWalk = gyroscopeRandomWalk
    self.accelerometerNoiseDensity = accelerometerNoiseDensity
    self.accelerometerRandomWalk = accelerometerRandomWalk
    self.gravityMagnitude = gravityMagnitude
    self.rate = rate
  }
}
