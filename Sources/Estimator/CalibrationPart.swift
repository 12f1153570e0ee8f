/// A part of the calibration with its own excitation test.
public enum CalibrationPart: String, CaseIterable, Sendable {
  /// Rotation of the camera on the inertial unit.
  case rotation
  /// Position of the camera on the inertial unit.
  case translation
  /// Time offset of the camera's clock.
  case timeOffset
  /// Focal lengths and principal point.
  case lens
  /// Scale and misalignment of the inertial unit's axes.
  case axes
}
