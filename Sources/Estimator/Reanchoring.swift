import Geometry

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
