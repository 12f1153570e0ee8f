import CameraGeometry
import Geometry

/// Landmark in the anchored inverse-depth parametrisation (Civera 2008), with inverse distance in place of inverse
/// depth: the bearing in the anchor camera's axes, and the inverse distance. The anchor is a clone.
///
/// The bearing is `cameraFromPoint * z`. Its errors d1, d2 are along the two other axes; these tangents move with it
/// and are nowhere singular. The parameters are invariant to rotation and translation of the world. The unobservable
/// directions therefore do not involve the point, and it may be linearised at its present estimate.
/// Source: Civera, Davison, Montiel 2008, doi:10.1109/TRO.2008.2003276.
package struct AnchoredPoint: Equatable, Sendable {
  /// Rotation whose third column is the bearing.
  package private(set) var cameraFromPoint: Rotation
  /// 1 / distance from the anchor camera, 1/m; may become slightly negative, which means "at infinity or beyond".
  package private(set) var inverseDistance: Double

  /// Size of its error (d1, d2, rho).
  package static let errorSize = 3

  /// A point in a direction (anchor camera's axes, not zero).
  package init(bearing: Vector3, inverseDistance: Double) {
    cameraFromPoint = Rotation.carrying(Vector3(0, 0, 1), into: bearing)
    self.inverseDistance = inverseDistance
  }

  /// A triangulated feature in the axes of its anchor.
  package init(_ feature: BearingFeature, anchor worldFromCamera: Pose) {
    self.init(
      bearing: worldFromCamera.rotation.inverse * feature.bearing, inverseDistance: feature.inverseDistance)
  }

  /// Unit vector to the point.
  package var bearing: Vector3 { cameraFromPoint * Vector3(0, 0, 1) }

  /// The directions of the errors d1 and d2.
  package var tangents: (Vector3, Vector3) { (cameraFromPoint * Vector3(1, 0, 0), cameraFromPoint * Vector3(0, 1, 0)) }

  /// The point with an error (d1, d2, rho) added: `bearing + d1 e1 + d2 e2` to first order.
  package func plus(_ d: Vector3) -> AnchoredPoint {
    var point = self
    point.cameraFromPoint = cameraFromPoint * Rotation.exp(Vector3(-d.y, d.x, 0))
    point.inverseDistance += d.z
    return point
  }

  /// Vector to the point from `offset` (metres, from the anchor camera) times the inverse distance, world axes.
  func scaled(from offset: Vector3, worldFromAnchor: Rotation) -> Vector3 {
    worldFromAnchor * bearing - inverseDistance * offset
  }
}
