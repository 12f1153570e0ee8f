/// A rigid transform: `x_W = worldFromBody * x_B = R x_B + p`.
///
/// Laws, tested at random elements: `(a * b) * x == a * (b * x)`, `t * t.inverse == .identity`.
@frozen
public struct Pose: Equatable, Sendable {
  /// The rotation part R.
  public var rotation: Rotation
  /// The translation part p, metres: the origin of the right-hand frame in the left-hand one.
  public var translation: Vector3

  /// A transform from its parts.
  @inlinable public init(rotation: Rotation = .identity, translation: Vector3 = .zero) {
    self.rotation = rotation
    self.translation = translation
  }

  /// The identity transform.
  @inlinable public static var identity: Pose { Pose() }

  /// The inverse transform.
  @inlinable public var inverse: Pose {
    let r = rotation.inverse
    return Pose(rotation: r, translation: -(r * translation))
  }

  /// Composition; the inner frames cancel.
  @inlinable public static func * (a: Pose, b: Pose) -> Pose {
    Pose(rotation: a.rotation * b.rotation, translation: a.rotation * b.translation + a.translation)
  }

  /// The transformed point.
  @inlinable public static func * (t: Pose, point: Vector3) -> Vector3 { t.rotation * point + t.translation }

  /// The pose at `fraction` (0...1) between this one and `other`: constant angular rate, straight line.
  public func interpolated(to other: Pose, fraction: Double) -> Pose {
    Pose(
      rotation: rotation.interpolated(to: other.rotation, fraction: fraction),
      translation: translation + (other.translation - translation) * fraction)
  }
}
