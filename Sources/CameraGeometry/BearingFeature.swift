import Geometry

/// A point seen from several poses: bearing from one of them (the anchor) and inverse distance,
/// `f = c_anchor + bearing / inverseDistance`.
///
/// An inverse distance of zero is a point at infinity, so no parallax is required.
/// Source: Civera, Davison, Montiel, "Inverse depth parametrization for monocular SLAM", TRO 24(5), 2008,
/// doi:10.1109/TRO.2008.2003276.
package struct BearingFeature: Equatable, Sendable {
  /// Unit vector from the anchor camera to the point, world axes.
  package var bearing: Vector3
  /// 1 / distance from the anchor camera, 1/m; 0 at infinity, never negative.
  package var inverseDistance: Double

  /// A feature from its parts.
  package init(bearing: Vector3, inverseDistance: Double) {
    self.bearing = bearing
    self.inverseDistance = inverseDistance
  }

  /// The point relative to another position, times the inverse distance: finite also at infinity.
  ///
  /// - Parameter offset: from the anchor camera to the other position, world axes, metres.
  package func scaled(from offset: Vector3) -> Vector3 { bearing - inverseDistance * offset }
}
