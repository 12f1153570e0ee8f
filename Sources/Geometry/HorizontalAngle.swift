import Foundation

/// The azimuth of a target in the horizontal plane relative to the device's holder: 0 straight ahead, positive right.
///
/// Pitch, roll and the target's height do not change it; the device's yaw changes it one to one.
public enum HorizontalAngle {
  /// Within this angle of the vertical, the back camera's axis no longer defines "ahead", radians.
  public static let verticalCone = 20 * Double.pi / 180

  /// Azimuth of "ahead" in the world, radians, counter-clockwise from the world's x axis.
  ///
  /// Ahead is the horizontal projection of the device's -z (out of the back). When that is within 20 degrees of the
  /// vertical, the top edge is used: +y if -z points down (the phone lies on its back camera), -y if it points up.
  public static func aheadAzimuth(worldFromDevice: Rotation) -> Double {
    let back = worldFromDevice * Vector3(0, 0, -1)
    guard abs(back.z) > cos(verticalCone) else { return atan2(back.y, back.x) }
    let top = worldFromDevice * Vector3(0, back.z < 0 ? 1 : -1, 0)
    return atan2(top.y, top.x)
  }

  /// The horizontal angle of the displacement `toPeer` (world, metres, from the device's origin), radians in (-pi, pi].
  public static func of(_ toPeer: Vector3, worldFromDevice: Rotation) -> Double {
    Angle.wrapped(aheadAzimuth(worldFromDevice: worldFromDevice) - atan2(toPeer.y, toPeer.x))
  }
}

/// Angles in radians.
public enum Angle {
  /// The same angle in (-pi, pi].
  @inlinable public static func wrapped(_ angle: Double) -> Double {
    let turns = (angle / (2 * .pi)).rounded(.toNearestOrEven)
    let remainder = angle - turns * 2 * .pi
    return remainder <= -.pi ? remainder + 2 * .pi : remainder > .pi ? remainder - 2 * .pi : remainder
  }

  /// Radians from degrees.
  @inlinable public static func degrees(_ degrees: Double) -> Double { degrees * (.pi / 180) }

  /// Degrees from radians.
  @inlinable public static func inDegrees(_ radians: Double) -> Double { radians * (180 / .pi) }
}
