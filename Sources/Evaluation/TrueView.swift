import Foundation
import Geometry

/// The true outputs for one peer at one moment: the definitions, computed from true poses.
package struct TrueView: Equatable, Sendable {
  /// The true level of a peer.
  package enum Level: String, Sendable, CaseIterable {
    case same
    case above
    case below
  }

  /// Vertical difference up to which a peer is on the device's level, metres.
  static let levelHeight = 1.2
  /// Elevation up to which it is, too, radians.
  static let levelAngle = Angle.degrees(10)

  /// Distance from the device's origin to the peer, metres.
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
    distance = line.norm
    horizontalDistance = line.horizontalNorm
    horizontalAngle =
      line.horizontalNorm > 0 ? HorizontalAngle.of(line, worldFromDevice: worldFromDevice.rotation) : 0
    let isLevel = abs(line.z) <= Self.levelHeight || abs(atan2(line.z, line.horizontalNorm)) <= Self.levelAngle
    level = isLevel ? .same : line.z > 0 ? .above : .below
  }
}
