import Foundation
import Geometry

/// What a perfect finder would say of one peer at one moment: the definitions, computed from true poses.
package struct TrueView: Equatable, Sendable {
  /// The levels that a peer can truly be on.
  package enum Level: String, Sendable, CaseIterable {
    case same
    case above
    case below
  }

  /// Within this height difference a peer is on our level, metres.
  static let levelHeight = 1.2
  /// So it is within this angle of our horizon, radians.
  static let levelAngle = Angle.degrees(10)
  /// An axis closer than this to the vertical does not say where ahead is, radians.
  static let verticalAxis = Angle.degrees(20)

  /// Metres from the device's origin to the peer.
  package var distance: Double
  /// Its horizontal part, metres.
  package var horizontalDistance: Double
  /// 0 ahead, positive right, (-pi, pi]; 0 for a peer straight above or below.
  package var horizontalAngle: Double
  /// Whether the peer is on the device's level.
  package var level: Level

  /// The view of a peer from a device, both in a world whose z is up.
  package init(worldFromDevice: Pose, peer: Vector3) {
    let line = peer - worldFromDevice.translation
    let ahead = Self.ahead(worldFromDevice.rotation)
    distance = line.norm
    horizontalDistance = line.horizontalNorm
    // Seen from above, ahead x line is negative for a peer on the right.
    let left = ahead.x * line.y - ahead.y * line.x
    horizontalAngle = Angle.wrapped(atan2(-left, ahead.x * line.x + ahead.y * line.y))
    let isLevel = abs(line.z) <= Self.levelHeight || abs(atan2(line.z, line.horizontalNorm)) <= Self.levelAngle
    level = isLevel ? .same : line.z > 0 ? .above : .below
  }

  /// The horizontal direction in which the device points: that of -z, out of its back; for a device that lies flat, that
  /// of its top edge when its back points down, and of its bottom edge when its back points up.
  static func ahead(_ worldFromDevice: Rotation) -> Vector3 {
    let back = worldFromDevice * Vector3(0, 0, -1)
    var axis = back
    if back.z < -cos(verticalAxis) {
      axis = worldFromDevice * Vector3(0, 1, 0)
    } else if back.z > cos(verticalAxis) {
      axis = worldFromDevice * Vector3(0, -1, 0)
    }
    return Vector3(axis.x, axis.y, 0).normalized
  }
}
