import Geometry

/// Calibration of a device.
public struct RigCalibration: Equatable, Sendable {
  /// The IMU, if there is one.
  public var imu: IMUCalibration?
  /// The cameras, cam0 first.
  public var cameras: [CameraCalibration]
  /// The radio, if there is one.
  public var radio: RadioCalibration?
  /// The external tracker, if there is one.
  public var odometry: OdometryCalibration?
  /// Apple's device axes D in the body: x right, y up, -z out of the back camera.
  public var bodyFromDevice: Pose

  /// A rig from its parts. Without `bodyFromDevice`: cam0's axes with y and z flipped, at the body's origin;
  /// with no camera either, the body itself.
  public init(
    imu: IMUCalibration? = nil, cameras: [CameraCalibration] = [], radio: RadioCalibration? = nil,
    odometry: OdometryCalibration? = nil, bodyFromDevice: Pose? = nil
  ) {
    self.imu = imu
    self.cameras = cameras
    self.radio = radio
    self.odometry = odometry
    if let bodyFromDevice {
      self.bodyFromDevice = bodyFromDevice
    } else if let camera = cameras.first {
      let cameraFromDevice = Rotation(w: 0, x: 1, y: 0, z: 0)  // 180 degrees about x: y and z flip
      self.bodyFromDevice = Pose(rotation: camera.bodyFromCamera.rotation * cameraFromDevice)
    } else {
      self.bodyFromDevice = .identity
    }
  }
}
