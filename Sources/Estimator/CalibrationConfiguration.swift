/// What of the device's calibration is estimated on the way, and how wrong it may be beforehand: 1-sigma of every number. What has
/// a sigma of 0 is taken as it is.
public struct CalibrationConfiguration: Equatable, Sendable {
  /// Whether anything is. Off, a phone's mount and the axes of its inertial unit stay parts of the state with narrow priors.
  public var online = false
  /// Rotation of the camera on the inertial unit, about each axis, radians.
  public var rotation = 0.01
  /// Place of the camera on the inertial unit, each axis, metres.
  public var translation = 0.01
  /// Time offset between the camera's and the inertial unit's clock, seconds.
  public var timeOffset = 0.02
  /// Focal lengths, share.
  public var focalLength = 0.01
  /// Principal point, share of the focal length.
  public var principalPoint = 0.01
  /// Scale and misalignment of the inertial unit's axes, share; 0 leaves them at what its grade says: 1 % for a phone, none else.
  public var axes = 0.0

  /// The defaults: off.
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
