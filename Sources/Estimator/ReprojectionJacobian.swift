import CameraGeometry
import Geometry

/// Linearised observation (reprojection) of an anchored point.
///
/// Camera i observes `q = R_i^T (R_a b - rho o)`, with o the displacement from the anchor's camera to camera i. With g
/// a gradient of the lens in world axes:
///
///     theta_i: g^T [R_a b - rho (p_i - p_a)]x      p_i: -rho g^T
///     theta_a: -g^T [R_a b]x                       p_a: +rho g^T
///     bearing: g^T R_a [e1 e2]                     rho: -g^T o
///     lens:    (u - c, f), see `LensModel`
///
/// p_i is the position of the clone's camera, which differs from camera i for a second camera, and for a row of a
/// rolling shutter (`Clone.worldFromCamera(_:rowDelay:)`). All are finite at rho = 0, where only rotations are observed.
///
/// First-estimates Jacobians (FEJ): derivatives by the poses are taken at their first estimates, so that rotation and
/// translation of the world cancel for any point. Derivatives by the point are taken at the present estimate. The
/// unobservable directions do not involve it (`AnchoredPoint`), and a first estimate of a short baseline that is off by
/// centimetres would give a wrong distance with a far too small covariance. The same holds for the lens.
package struct ReprojectionJacobian {
  /// One pixel coordinate, in units of its noise.
  package struct Row {
    /// Measured minus predicted, from the present estimates.
    package var residual: Double
    /// By theta and p of the observing clone.
    package var rotation, position: Vector3
    /// By theta and p of the anchor.
    package var anchorRotation, anchorPosition: Vector3
    /// By (d1, d2, rho).
    package var point: Vector3
    /// By the lens' error; not used unless the lens is a state.
    package var lens: SIMD4<Double>
    /// World axes: derivative of the coordinate by `rho` times the camera's position, negated.
    var gradient: Vector3
  }

  /// Column and row of the pixel.
  package let rows: [Row]
  /// Block of the lens' error, if it is a state.
  private let lensBlock: ErrorCovariance.Block?

  /// Nil when the lens cannot project the point.
  package init?(
    _ pixel: SIMD2<Double>, rowDelay: Double = 0, from clone: Clone, of point: AnchoredPoint, anchor: Clone,
    camera: FilterCamera
  ) {
    let cameraNow = clone.worldFromCamera(camera.keptFromCamera, rowDelay: rowDelay)
    let anchorNow = anchor.worldFromCamera
    let offsetNow = cameraNow.translation - anchorNow.translation
    let seen = cameraNow.rotation.inverse * point.scaled(from: offsetNow, worldFromAnchor: anchorNow.rotation)
    guard let projection = camera.lens.project(seen) else { return nil }

    let first = clone.firstWorldFromCamera, firstAnchor = anchor.firstWorldFromCamera
    let rho = point.inverseDistance
    let firstBearing = firstAnchor.rotation * point.bearing
    let scaledPoint = firstBearing - rho * (first.translation - firstAnchor.translation)
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
        residual: residual, rotation: g.cross(scaledPoint), position: -rho * g, anchorRotation: -g.cross(firstBearing),
        anchorPosition: rho * g, point: Vector3(now.dot(d1), now.dot(d2), -now.dot(offsetNow)),
        lens: byLens / camera.effectiveNoise, gradient: now)
    }
  }

  /// The rows over the blocks of observing clone, anchor, landmark and, if it is a state, lens.
  ///
  /// Both errors of the product `rho (p_i - p_a)` are states; the second-order term is added to the noise,
  /// `repetitions` times (`SecondOrderLandmarkNoise`).
  func rows(clone: Clone, anchor: Clone, landmark: Landmark, repetitions: Double, _ covariance: ErrorCovariance)
    -> LinearisedRows
  {
    let own = clone.id == anchor.id
    let secondOrderNoise = SecondOrderLandmarkNoise(
      landmark, clone: clone, anchor: anchor, repetitions: repetitions, covariance)
    var result = LinearisedRows(
      blocks: own ? [clone.block, landmark.block] : [clone.block, anchor.block, landmark.block], jacobian: [],
      residual: [])
    if let lensBlock { result.blocks.append(lensBlock) }
    result.jacobian.reserveCapacity(2 * (2 * Clone.errorSize + AnchoredPoint.errorSize + LensModel.errorSize))
    result.residual.reserveCapacity(2)
    for row in rows {
      let weight = 1 / (1 + secondOrderNoise.variance(row.gradient)).squareRoot()
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
