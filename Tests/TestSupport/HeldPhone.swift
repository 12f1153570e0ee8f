import Geometry

/// Attitudes of a phone that is held upright.
package enum HeldPhone {
  /// Its back camera to the north (+y).
  package static let facingNorth = Rotation(
    matrix: Matrix3(columns: Vector3(1, 0, 0), Vector3(0, 0, 1), Vector3(0, -1, 0)))
  /// Its back camera to the east (+x).
  package static let facingEast = Rotation(
    matrix: Matrix3(columns: Vector3(0, -1, 0), Vector3(0, 0, 1), Vector3(-1, 0, 0)))
}
