import Geometry

/// Calibration of a camera: extrinsics, pinhole, distortion, pixel noise and time offset.
public struct CameraCalibration: Equatable, Sendable {
  /// Distortion model; coefficients in EuRoC's and Kalibr's order.
  public enum Distortion: Equatable, Sendable {
    /// An ideal pinhole.
    case none
    /// Brown-Conrady: k1, k2 radial, p1, p2 tangential.
    case radialTangential(k1: Double, k2: Double, p1: Double, p2: Double)
    /// Kannala-Brandt: `theta_d = theta (1 + k1 theta^2 + k2 theta^4 + k3 theta^6 + k4 theta^8)`.
    case equidistant(k1: Double, k2: Double, k3: Double, k4: Double)
    /// Devernay-Faugeras field-of-view model with its one angle, radians.
    case fieldOfView(w: Double)
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

  /// A calibration from its parts.
  public init(
    bodyFromCamera: Pose = .identity, fx: Double, fy: Double, cx: Double, cy: Double, distortion: Distortion = .none,
    width: Int, height: Int, pixelNoise: Double = 1, timeOffset: Double = 0, featureIDs: FeatureIDs = .separate,
    rate: Double? = nil
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
  }
}
