import Foundation
import Geometry

/// How a hand holds the phone: portrait, back camera looking forward.
package struct HandPose: Equatable, Sendable {
  /// Where the phone is in the world, metres; the world's x is ahead at the start, y left, z up.
  package var position: Vector3
  /// Where the back camera looks, radians from the world's x, counter-clockwise.
  package var yaw: Double
  /// How far it looks up, radians.
  package var pitch: Double

  /// A pose from its parts.
  package init(position: Vector3 = .zero, yaw: Double = 0, pitch: Double = 0) {
    self.position = position
    self.yaw = yaw
    self.pitch = pitch
  }

  /// Horizontal unit vector that points ahead.
  var ahead: Vector3 { Vector3(cos(yaw), sin(yaw), 0) }
  /// Horizontal unit vector to the right.
  var right: Vector3 { Vector3(sin(yaw), -cos(yaw), 0) }

  /// The pose of Apple's device axes (x right, y up, -z out of the back camera).
  package var worldFromDevice: Pose {
    let upright = Rotation(matrix: Matrix3(columns: Vector3(0, -1, 0), Vector3(0, 0, 1), Vector3(-1, 0, 0)))
    return Pose(
      rotation: Rotation.yaw(yaw) * Rotation.exp(Vector3(0, -pitch, 0)) * upright, translation: position)
  }
}
