import Foundation

/// Angles in radians.
public enum Angle {
  /// The same angle in (-pi, pi].
  @inlinable public static func wrapped(_ angle: Double) -> Double {
    let turns = (angle / (2 * .pi)).rounded(.toNearestOrEven)
    let rest = angle - turns * 2 * .pi
    return rest <= -.pi ? rest + 2 * .pi : rest > .pi ? rest - 2 * .pi : rest
  }

  /// Radians from degrees.
  @inlinable public static func degrees(_ degrees: Double) -> Double { degrees * (.pi / 180) }

  /// Degrees from radians.
  @inlinable public static func inDegrees(_ radians: Double) -> Double { radians * (180 / .pi) }
}
