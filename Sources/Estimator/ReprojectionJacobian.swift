import Geometry
import CameraGeometry

/// One sight of an anchored point, linearised.
///
/// Camera i sees `q = R_i^T (R_a b - rho o)`, with o the way from the anchor's camera to camera i. With g a gradient of the
/// lens turned into the world:
///
///     theta_i: g^T [R_a b - rho (p_i - p_a)]x      p_i: -rho g^T
///     theta_a: -g^T [R_a b]x                       p_a: +rho g^T
///     bearing: g^T R_a [e1 e2]                     rho: -g^T o
///     lens:    (u - c, f), see `LensModel`
///
/// with p_i the kept camera's place, which is camera i's but for a second one beside it;
///
/// all are finite at rho = 0, where only rotations are told. By the poses it is derived at their first estimates: turning the
/// world about any axis and shifting it then cancel, whatever the point is. By the point it is derived where everything is
/// now: the unobservable directions have no part in it (`AnchoredPoint`), and a baseline of a few centimetres whose first
/// estimate was centimetres off would tell a wrong distance with great certainty. The same holds for the lens.
package struct ReprojectionJacobian {
  /// One coordinate of the pixel, in units of its noise.
  package struct Row {
    /// Measured minus predicted, from the present estimates.
    package var residual: Double
    /// By theta and p of the clone that sees.
    package var rotation, position: Vector3
    /// By theta and p of the anchor.
    package var anchorRotation, anchorPosition: Vector3
    /// By (d1, d2, rho).
    package var point: Vector3
    /// By the lens' error; not used where the lens is no part of the state.
    package var lens: SIMD4<Double>
    /// World axes: how the coordinate changes with `rho` times the camera's position, negated.
    var gradient: Vector3
  }

  /// Column and row of the pixel.
  package let rows: [Row]
  /// The lens' error in the state, if it is a part of it.
  private let lensBlock: ErrorCovariance.Block?

  /// Nil when the lens cannot see the point from there.
  package init?(_ pixel: SIMD2<Double>, from clone: Clone, of point: AnchoredPoint, anchor: Clone, camera: FilterCamera)
  {
    let cameraNow = clone.worldFromCamera * camera.keptFromCamera, anchorNow = anchor.worldFromCamera
    let offsetNow = cameraNow.translation - anchorNow.translation
    let seen = cameraNow.rotation.inverse * point.scaled(from: offsetNow, worldFromAnchor: anchorNow.rotation)
    guard let projection = camera.lens.project(seen) else { return nil }

    let first = clone.firstWorldFromCamera, firstAnchor = anchor.firstWorldFromCamera
    let rho = point.inverseDistance
    let firstBearing = firstAnchor.rotation * point.bearing
    let way = firstBearing - rho * (first.translation - firstAnchor.translation)
    let firstRotation = first.rotation * camera.keptFromCamera.rotation
    let (e1, e2) = point.tangents
    let (d1, d2) = (anchorNow.rotation * e1, anchorNow.rotation * e2)
    let error = (pixel - projection.pixel) / camera.effectiveNoise
    let byLens = camera.lens.errorGradients(at: projection.pixel)
    lensBlock = camera.lensBlock
    rows = [(error.x, projection.columnGradient, byLens.column), (error.y, projection.rowGradient, byLens.row)].map {
      residual, gradient, byLens in
      // Row vectors from the right: g^T [v]x = (g x v)^T.
      let g = firstRotation * gradient / camera.effectiveNoise
      let now = cameraNow.rotation * gradient / camera.effectiveNoise
      return Row(
        residual: residual, rotation: g.cross(way), position: -rho * g, anchorRotation: -g.cross(firstBearing),
        anchorPosition: rho * g, point: Vector3(now.dot(d1), now.dot(d2), -now.dot(offsetNow)),
        lens: byLens / camera.effectiveNoise, gradient: now)
    }
  }

  /// The rows over the blocks of the clone that sees, the anchor, the landmark and, if it is a part of the state, the lens.
  ///
  /// Both errors of the product `rho (p_i - p_a)` are in the state, the error of the linearisation is not: it goes into
  /// the noise, `repetitions` times (`SecondOrderLandmarkNoise`).
  func rows(clone: Clone, anchor: Clone, landmark: Landmark, repetitions: Double, _ covariance: ErrorCovariance)
    -> LinearisedRows
  {
    let own = clone.id == anchor.id
    let doubt = SecondOrderLandmarkNoise(landmark, clone: clone, anchor: anchor, repetitions: repetitions, covariance)
    var result = LinearisedRows(
      blocks: own ? [clone.block, landmark.block] : [clone.block, anchor.block, landmark.block], jacobian: [],
      residual: [])
    if let lensBlock { result.blocks.append(lensBlock) }
    result.jacobian.reserveCapacity(2 * (2 * Clone.errorSize + AnchoredPoint.errorSize + LensModel.errorSize))
    result.residual.reserveCapacity(2)
    for row in rows {
      let weight = 1 / (1 + doubt.variance(row.gradient)).squareRoot()
      let parts =
        own
        ? [row.rotation + row.anchorRotation, row.position + row.anchorPosition, row.point]
        : [row.rotation, row.position, row.anchorRotation, row.anchorPosition, row.point]
      for part in parts { for k in 0..<3 { result.jacobian.append(weight * part[k]) } }
      if lensBlock != nil { for k in 0..<LensModel.errorSize { result.jacobian.append(weight * row.lens[k]) } }
      result.residual.append(weight * row.residual)
    }
    return result
  }
}
