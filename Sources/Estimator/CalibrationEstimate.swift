import SensorData

/// What online calibration has made of a camera's stated calibration.
public struct CalibrationEstimate: Equatable, Sendable {
  /// The calibration, in the terms of its file.
  public var camera: CameraCalibration
  /// 1-sigma of the rotation on the inertial unit, camera's axes, radians, three numbers.
  public var rotation: [Double]
  /// 1-sigma of the place on the inertial unit, its axes, metres, three numbers.
  public var translation: [Double]
  /// 1-sigma of the time offset, seconds.
  public var timeOffset: Double
  /// 1-sigma of fx, fy, cx, cy, pixels.
  public var intrinsics: [Double]
  /// The parts that the motion has excited so far; the others stand as they were stated.
  public var learnt: [CalibrationPart]
}
