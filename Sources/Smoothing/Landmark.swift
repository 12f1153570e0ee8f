import Geometry

/// A point of the world as a bearing and an inverse distance from a fixed origin:
/// `f = origin + bearing / inverseDistance`.
///
/// With little parallax the inverse distance may be slightly negative; clamping it would introduce a bias.
/// Source: Civera, Davison, Montiel 2008, doi:10.1109/TRO.2008.2003276.
package struct Landmark: Equatable, Sendable {
  /// Origin of the parametrisation, world, metres: near a camera that observed the point.
  package var origin: Vector3
  /// Unit vector from the origin to the point, world axes.
  package var bearing: Vector3
  /// 1 / distance from the origin, 1/m; 0 at infinity.
  package var inverseDistance: Double

  /// Size of its error state: (e1, e2, inverse distance).
  package static let errorSize = 3

  /// A landmark from its parts.
  package init(origin: Vector3, bearing: Vector3, inverseDistance: Double) {
    self.origin = origin
    self.bearing = bearing
    self.inverseDistance = inverseDistance
  }

  /// Vector from a position to the point, times the inverse distance: finite also at infinity.
  package func scaled(from position: Vector3) -> Vector3 { bearing - inverseDistance * (position - origin) }

  /// Updated by (e1, e2, inverse distance), with e1, e2 the bearing's tangent basis.
  package func plus(_ step: Vector3) -> Landmark {
    let (e1, e2) = bearing.tangentBasis
    return Landmark(
      origin: origin, bearing: (bearing + step.x * e1 + step.y * e2).normalized,
      inverseDistance: inverseDistance + step.z)
  }

  /// Moved rigidly with a camera: its observation from `new` is that from `old`.
  package func carried(from old: Pose, to new: Pose) -> Landmark {
    let rotation = new.rotation * old.rotation.inverse
    return Landmark(
      origin: new.translation + rotation * (origin - old.translation), bearing: (rotation * bearing).normalized,
      inverseDistance: inverseDistance)
  }
}
