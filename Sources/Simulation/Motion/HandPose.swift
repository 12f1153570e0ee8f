import Foundation
import Geometry

/// Pose of a hand-held phone, parametrised by position, yaw, pitch and roll; the back camera looks ahead.
package struct HandPose: Equatable, Sendable {
  /// Position of the phone in the world, metres; the world's x is ahead at the start, y left, z up.
  package var position: Vector3
  /// Azimuth of the back camera, radians from the world's x, counter-clockwise.
  package var yaw: Double
  /// Elevation of the back camera, radians.
  package var pitch: Double
  /// Rotation about the device's z axis, which comes out of the screen, radians: 0 portrait, pi/2 landscape.
  package var roll: Double
  /// Scale of the hand's tremor: 1 in the hand, 0 when put down.
  package var grip: Double
  /// Whether it lies, or is about to lie, flat on its back camera, which is then covered.
  package var isOnItsLens = false

  /// A pose from its parts.
  package init(position: Vector3 = .zero, yaw: Double = 0, pitch: Double = 0, roll: Double = 0, grip: Double = 1) {
    self.position = position
    self.yaw = yaw
    self.pitch = pitch
    self.roll = roll
    self.grip = grip
  }

  /// The pose of a device of any attitude, without roll. Straight up or down the yaw is undefined and set to 0.
  init(worldFromDevice: Pose) {
    let look = worldFromDevice.rotation * Vector3(0, 0, -1)
    self.init(
      position: worldFromDevice.translation, yaw: atan2(look.y, look.x), pitch: asin(min(max(look.z, -1), 1)))
  }

  /// Horizontal unit vector that points ahead.
  var ahead: Vector3 { Vector3(cos(yaw), sin(yaw), 0) }
  /// Horizontal unit vector to the right.
  var right: Vector3 { Vector3(sin(yaw), -cos(yaw), 0) }

  /// The pose of Apple's device axes (x right, y up, -z out of the back camera).
  package var worldFromDevice: Pose {
    let upright = Rotation(matrix: Matrix3(columns: Vector3(0, -1, 0), Vector3(0, 0, 1), Vector3(-1, 0, 0)))
    let portrait = Rotation.yaw(yaw) * Rotation.exp(Vector3(0, -pitch, 0)) * upright
    // The product would round again: portrait stays bit-identical.
    let rotation = roll == 0 ? portrait : portrait * .exp(Vector3(0, 0, roll))
    return Pose(rotation: rotation, translation: position)
  }
}
