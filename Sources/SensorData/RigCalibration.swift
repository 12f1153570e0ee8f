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

/// Calibration of a camera: extrinsics, pinhole, distortion, pixel noise and time offset.
public struct CameraCalibration: Equatable, Sendable {
  /// Lens model; coefficients in EuRoC's, Kalibr's and OpenCV's order.
  public enum Distortion: Equatable, Sendable {
    /// An ideal pinhole.
    case none
    /// Brown-Conrady: k1, k2 radial, p1, p2 tangential.
    case radialTangential(k1: Double, k2: Double, p1: Double, p2: Double)
    /// Kannala-Brandt: `theta_d = theta (1 + k1 theta^2 + k2 theta^4 + k3 theta^6 + k4 theta^8)`.
    case equidistant(k1: Double, k2: Double, k3: Double, k4: Double)
    /// Devernay-Faugeras field-of-view model with its one angle, radians.
    case fieldOfView(w: Double)
    /// OpenCV's rational model: radial `(1 + k1 s + k2 s^2 + k3 s^3) / (1 + k4 s + k5 s^2 + k6 s^3)` of the squared
    /// radius s, p1, p2 tangential. Five coefficients: k4, k5 and k6 are 0.
    case rational(
      k1: Double, k2: Double, p1: Double, p2: Double, k3: Double, k4: Double = 0, k5: Double = 0, k6: Double = 0)
    /// Mei's unified model of central cameras: a mirror or fisheye with parameter xi, then radial-tangential
    /// distortion. Focal lengths are Kalibr's `fu`, `fv`.
    case omni(xi: Double, k1: Double, k2: Double, p1: Double, p2: Double)
    /// Usenko's double sphere: the offset xi of the second sphere, and alpha from 0 to 1.
    case doubleSphere(xi: Double, alpha: Double)
    /// Khomutenko's extended unified camera model (EUCM): alpha from 0 to 1, beta above 0.
    case extendedUnified(alpha: Double, beta: Double)
  }

  /// How the ids of a second camera relate to those of cam0.
  public enum FeatureIDs: String, Equatable, Sendable {
    /// The same id is the same point in both cameras.
    case shared
    /// Each camera numbers its features independently.
    case separate
  }

  /// `T_BS`: the body from the camera's axes (x right, y down, z forward).
  public var bodyFromCamera: Pose
  /// Focal length, horizontal, pixels.
  public var fx: Double
  /// Focal length, vertical, pixels.
  public var fy: Double
  /// Principal point, column, pixels.
  public var cx: Double
  /// Principal point, row, pixels.
  public var cy: Double
  /// Lens model.
  public var distortion: Distortion
  /// Image width, pixels.
  public var width: Int
  /// Image height, pixels.
  public var height: Int
  /// 1-sigma of a tracked feature's position, pixels.
  public var pixelNoise: Double
  /// Seconds to add to a frame's stamp to get the IMU's clock.
  public var timeOffset: Double
  /// Meaning of feature ids.
  public var featureIDs: FeatureIDs
  /// Nominal rate, Hz: a hint.
  public var rate: Double?
  /// How many bits of a 16-bit image are in use, 9...16: 12 for a 12-bit camera whose values are not stretched.
  public var imageBits: Int
  /// Seconds from the exposure of one row to that of the next, of a rolling shutter; 0 for a global one, negative for a
  /// sensor that is read from its last row.
  public var rowTime: Double
  /// The row whose exposure a frame's timestamp tells, from 0; of no account for a global shutter.
  public var stampedRow: Double

  /// A calibration from its parts.
  public init(
    bodyFromCamera: Pose = .identity, fx: Double, fy: Double, cx: Double, cy: Double, distortion: Distortion = .none,
    width: Int, height: Int, pixelNoise: Double = 1, timeOffset: Double = 0, featureIDs: FeatureIDs = .separate,
    rate: Double? = nil, imageBits: Int = 16, rowTime: Double = 0, stampedRow: Double = 0
  ) {
    self.bodyFromCamera = bodyFromCamera
    self.fx = fx
    self.fy = fy
    self.cx = cx
    self.cy = cy
    self.distortion = distortion
    self.width = width
    self.height = height
    self.pixelNoise = pixelNoise
    self.timeOffset = timeOffset
    self.featureIDs = featureIDs
    self.rate = rate
    self.imageBits = imageBits
    self.rowTime = rowTime
    self.stampedRow = stampedRow
  }

  /// Seconds from a frame's timestamp to the exposure of a row; 0 for a global shutter.
  public func delay(ofRow row: Double) -> Double { (row - stampedRow) * rowTime }

  /// Seconds from a frame's timestamp to the exposure of the row that is read last; 0 for a global shutter.
  public var readoutEnd: Double { max(delay(ofRow: 0), delay(ofRow: Double(height - 1))) }
}

/// Calibration of an external tracker (odometry): extrinsics and drift.
public struct OdometryCalibration: Equatable, Sendable {
  /// `T_BS`: the body from the tracker's sensor frame.
  public var bodyFromSensor: Pose
  /// Growth of the position error, m/sqrt(m travelled).
  public var positionRandomWalk: Double
  /// Growth of the heading error, rad/sqrt(s).
  public var yawRandomWalk: Double

  /// A calibration from its parts.
  public init(bodyFromSensor: Pose = .identity, positionRandomWalk: Double = 0.03, yawRandomWalk: Double = 0.01) {
    self.bodyFromSensor = bodyFromSensor
    self.positionRandomWalk = positionRandomWalk
    self.yawRandomWalk = yawRandomWalk
  }
}
