/// A part of the calibration that is excited, and so learns, by itself.
public enum CalibrationPart: String, CaseIterable, Sendable {
  /// How the camera is turned on the inertial unit.
  case rotation
  /// Where it sits there.
  case translation
  /// How its clock runs.
  case timeOffset
  /// Its focal lengths and principal point.
  case lens
  /// Scale and misalignment of the inertial unit's axes.
  case axes
}
