import Foundation
import Geometry

/// How a hand holds the phone: back camera looking forward.
package struct HandPose: Equatable, Sendable {
  /// Where the phone is in the world, metres; the world's x is ahead at the start, y left, z up.
  package var position: Vector3
  /// Where the back camera looks, radians from the world's x, counter-clockwise.
  package var yaw: Double
  /// How far it looks up, radians.
  package var pitch: Double
  /// How far the phone is turned about its z axis, which comes out of the screen, radians: 0 portrait, pi/2 landscape.
  package var roll: Double
  /// How firmly it is held: 1 in the hand, 0 where it was put down and nothing moves it.
  package var grip: Double
  /// Whether it lies, or is about to lie, flat on its back camera, which then sees nothing.
  package var isOnItsLens = false

  /// A pose from its parts.
  package init(position: Vector3 = .zero, yaw: Double = 0, pitch: Double = 0, roll: Double = 0, grip: Double = 1) {
    self.position = position
    self.yaw = yaw
    self.pitch = pitch
    self.roll = roll
    self.grip = grip
  }

  /// The hand that holds a device of any attitude: where its back camera looks. Straight up or down there is no yaw, and it is 0.
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
    // A product rounds anew: portrait stays as it is to the last bit.
    let rotation = roll == 0 ? portrait : portrait * .exp(Vector3(0, 0, roll))
    return Pose(rotation: rotation, translation: position)
  }
}
