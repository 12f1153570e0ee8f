import Geometry

/// A point of the world as a bearing and an inverse distance from a fixed place:
/// `f = origin + bearing / inverseDistance`.
///
/// Where there is little parallax the inverse distance may come out slightly negative; clamping it would bias the rest.
/// Source: Civera, Davison, Montiel 2008, doi:10.1109/TRO.2008.2003276.
package struct Landmark: Equatable, Sendable {
  /// From where the point is described, world, metres: near a camera that saw it.
  package var origin: Vector3
  /// Unit vector from there to the point, world axes.
  package var bearing: Vector3
  /// 1 / distance from there, 1/m; 0 at infinity.
  package var inverseDistance: Double

  /// Size of its error state: (e1, e2, inverse distance).
  package static let errorSize = 3

  /// A landmark from its parts.
  package init(origin: Vector3, bearing: Vector3, inverseDistance: Double) {
    self.origin = origin
    self.bearing = bearing
    self.inverseDistance = inverseDistance
  }

  /// The point seen from a place, times the inverse distance: finite also at infinity.
  package func scaled(from place: Vector3) -> Vector3 { bearing - inverseDistance * (place - origin) }

  /// Moved by (e1, e2, inverse distance), e1 and e2 being the bearing's tangent basis.
  package func plus(_ step: Vector3) -> Landmark {
    let (e1, e2) = bearing.tangentBasis
    return Landmark(
      origin: origin, bearing: (bearing + step.x * e1 + step.y * e2).normalized,
      inverseDistance: inverseDistance + step.z)
  }

  /// Carried along with a camera, rigidly: what was seen from `old` is seen alike from `new`.
  package func carried(from old: Pose, to new: Pose) -> Landmark {
    let turn = new.rotation * old.rotation.inverse
    return Landmark(
      origin: new.translation + turn * (origin - old.translation), bearing: (turn * bearing).normalized,
      inverseDistance: inverseDistance)
  }
}
