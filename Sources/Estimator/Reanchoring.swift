import Geometry

/// The change of a point from one anchor's camera to another's.
///
/// `q = R_n^T (R_o b - rho o)`, with o the way from the old camera to the new; then `b' = q / |q|` and `rho' = rho / |q|`,
/// which is closed and finite at rho = 0. With dq, and first and present estimates, as in `ReprojectionJacobian`:
///
///     d(bearing) = [e1' e2']^T dq / |q|      d rho' = d rho / |q| - rho b'^T dq / |q|^2
package struct Reanchoring {
  /// The point in the new camera, from the present estimates.
  package let point: AnchoredPoint
  /// 3 x 6 by (theta, p) of the new anchor, of the old one, and 3 x 3 by the point's old error; row-major.
  package let byNew, byOld, byPoint: [Double]

  /// Nil when the point would lie in the new camera's centre.
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
    // Axes of the new camera, what they are multiplied with, and what rho adds by itself.
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

  /// The point as another camera sees it.
  package static func moved(_ point: AnchoredPoint, from old: Pose, to new: Pose) -> AnchoredPoint? {
    let way = point.scaled(from: new.translation - old.translation, worldFromAnchor: old.rotation)
    let length = way.norm
    guard length > smallest, length.isFinite else { return nil }
    return AnchoredPoint(
      bearing: new.rotation.inverse * way, inverseDistance: point.inverseDistance / length)
  }

  /// Nearer to the new camera than this share of the old distance, a point has no direction.
  private static let smallest = 1e-3

  /// The Jacobian over the state's blocks.
  func jacobian(
    old: ErrorCovariance.Block, new: ErrorCovariance.Block, landmark: ErrorCovariance.Block
  ) -> [(ErrorCovariance.Block, [Double])] { [(landmark, byPoint), (new, byNew), (old, byOld)] }
}
