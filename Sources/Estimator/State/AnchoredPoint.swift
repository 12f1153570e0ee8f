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
  private var cameraFromPoint: Rotation
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

/// A landmark: a point kept in the state, so that the information of its observations outlives the clones.
package struct Landmark: Equatable, Sendable {
  /// The track that sees it.
  package let featureID: Int64
  /// Its error (d1, d2, rho) in the covariance.
  package let block: ErrorCovariance.Block
  /// The clone that anchors it.
  package internal(set) var anchorID: Int
  /// The present estimate.
  package internal(set) var point: AnchoredPoint
  /// Consecutive observations rejected by the gate.
  var refusals = 0
}

/// Change of a landmark's anchor to another camera.
///
/// `q = R_n^T (R_o b - rho o)`, with o the displacement from the old camera to the new; then `b' = q / |q|` and `rho' =
/// rho / |q|`, closed-form and finite at rho = 0. With dq, and first and present estimates, as in
/// `ReprojectionJacobian`:
///
///     d(bearing) = [e1' e2']^T dq / |q|      d rho' = d rho / |q| - rho b'^T dq / |q|^2
package struct Reanchoring {
  /// The point in the new anchor, from the present estimates.
  package let point: AnchoredPoint
  /// Jacobians by (theta, p) of the new anchor and of the old one, 3 x 6, and by the point's old error, 3 x 3;
  /// row-major.
  package let byNew, byOld, byPoint: [Double]

  /// Nil when the point is at the new camera's centre.
  package init?(_ point: AnchoredPoint, from old: Clone, to new: Clone) {
    guard let moved = Self.moved(point, from: old.worldFromCamera, to: new.worldFromCamera) else {
      return nil
    }
    let rho = point.inverseDistance
    let oldNow = old.worldFromCamera, newNow = new.worldFromCamera
    let offset = newNow.translation - oldNow.translation
    let length = (oldNow.rotation * point.bearing - rho * offset).norm
    let oldFirst = old.firstWorldFromCamera, newFirst = new.firstWorldFromCamera
    let bearing = oldFirst.rotation * point.bearing
    let fromNew = bearing - rho * (newFirst.translation - oldFirst.translation)

    let (e1, e2) = moved.tangents, (old1, old2) = point.tangents
    let (d1, d2) = (oldNow.rotation * old1, oldNow.rotation * old2)
    var (byNew, byOld, byPoint) = ([Double](), [Double](), [Double]())
    // Axes of the new camera, their factors, and the derivative by rho alone.
    let axes = [(e1, 1 / length, 0.0), (e2, 1 / length, 0), (moved.bearing, -rho / (length * length), 1 / length)]
    for (axis, scale, own) in axes {
      // axis^T [v]x = (axis x v)^T.
      let g = newFirst.rotation * (scale * axis), now = newNow.rotation * (scale * axis)
      let (t, a) = (g.cross(fromNew), -g.cross(bearing))
      byNew += [t.x, t.y, t.z, -rho * g.x, -rho * g.y, -rho * g.z]
      byOld += [a.x, a.y, a.z, rho * g.x, rho * g.y, rho * g.z]
      byPoint += [now.dot(d1), now.dot(d2), own - now.dot(offset)]
    }
    (self.point, self.byNew, self.byOld, self.byPoint) = (moved, byNew, byOld, byPoint)
  }

  /// The point in another camera.
  package static func moved(_ point: AnchoredPoint, from old: Pose, to new: Pose) -> AnchoredPoint? {
    let scaledPoint = point.scaled(from: new.translation - old.translation, worldFromAnchor: old.rotation)
    let length = scaledPoint.norm
    guard length > smallest, length.isFinite else { return nil }
    return AnchoredPoint(
      bearing: new.rotation.inverse * scaledPoint, inverseDistance: point.inverseDistance / length)
  }

  /// Smallest distance to the new camera as a fraction of the old distance: nearer, a point has no direction.
  private static let smallest = 1e-3

  /// The Jacobian over the state's blocks.
  func jacobian(
    old: ErrorCovariance.Block, new: ErrorCovariance.Block, landmark: ErrorCovariance.Block
  ) -> [(ErrorCovariance.Block, [Double])] { [(landmark, byPoint), (new, byNew), (old, byOld)] }
}
