import SensorData

/// A camera's calibration as estimated online.
public struct CalibrationEstimate: Equatable, Sendable {
  /// The calibration in the parameters of its file.
  public var camera: CameraCalibration
  /// 1-sigma of the rotation on the inertial unit, camera's axes, radians, three numbers.
  public var rotation: [Double]
  /// 1-sigma of the position on the inertial unit, its axes, metres, three numbers.
  public var translation: [Double]
  /// 1-sigma of the time offset, seconds.
  public var timeOffset: Double
  /// 1-sigma of fx, fy, cx, cy, pixels.
  public var intrinsics: [Double]
  /// The parts excited by the motion so far; all others are as stated.
  public var learnt: [CalibrationPart]
}
