/// Online calibration: which parameters of the device are estimated, and their prior 1-sigmas. A parameter with sigma 0
/// is not estimated.
public struct CalibrationConfiguration: Equatable, Sendable {
  /// Whether online calibration is enabled. If not, a phone's camera mount and IMU intrinsics remain states with narrow
  /// priors.
  public var online = false
  /// Rotation of the camera on the inertial unit, about each axis, radians.
  public var rotation = 0.01
  /// Position of the camera on the inertial unit, each axis, metres.
  public var translation = 0.01
  /// Time offset between the camera's and the inertial unit's clock, seconds.
  public var timeOffset = 0.02
  /// Focal lengths, relative.
  public var focalLength = 0.01
  /// Principal point, as a fraction of the focal length.
  public var principalPoint = 0.01
  /// Scale and misalignment of the inertial unit's axes, relative. 0 means the default of its grade: 1 % for a phone,
  /// otherwise not estimated.
  public var axes = 0.0

  /// The defaults: disabled.
  public init() {}

  /// Variances of the mount's error.
  var mountVariances: [Double] {
    [rotation, rotation, rotation, translation, translation, translation, timeOffset].map { $0 * $0 }
  }

  /// Variances of the lens' error.
  var lensVariances: [Double] {
    [focalLength, focalLength, principalPoint, principalPoint].map { $0 * $0 }
  }
}
