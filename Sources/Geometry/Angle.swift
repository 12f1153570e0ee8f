import Foundation

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
