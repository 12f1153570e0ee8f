internal import CLinearAlgebra
import Geometry
import CameraGeometry

/// What one tracked point says about the clones that saw it, the point itself eliminated; and, for points that become
/// landmarks, what is left over: where the point is, given the clones.
///
/// `r = H_x dx + H_f df + n` is projected onto the left null space of H_f (Mourikis and Roumeliotis 2007,
/// doi:10.1109/ROBOT.2007.364024). The other three rows, `r_1 = H_1 dx + R df + n_1` with R triangular, are independent
/// of the projected ones and define the point: `df = R^-1 (r_1 - H_1 dx - n_1)` (delayed initialisation: Li and Mourikis,
/// "Optimization-based estimator design for vision-aided inertial navigation", RSS 2012). So no sight is used twice.
package struct FeatureConstraint {
  /// What the sights, and the prior if there is one, say without the point: 2 sights - 3 rows, one more with a prior.
  package let rows: LinearisedRows
  /// What they say of the point; nil when they leave its distance open.
  package let definition: Definition?
  private let unexplained: (residual: [Double], point: [Double])

  /// A point's error as a function of the errors of the constraint's blocks and independent noise, all in terms of (d1, d2, rho).
  package struct Definition: Equatable, Sendable {
    /// The point the rest refers to, corrected by the residuals.
    package let point: AnchoredPoint
    /// 3 x columns of the constraint, row-major: d point / d clones, and lens.
    package let jacobian: [Double]
    /// 3 x 3, row-major: covariance if the clones (and the lens) were exact.
    package let independent: [Double]
  }

  /// - Parameters:
  ///   - sights: what was seen, each from the clone of the same index; at least two. A clone comes twice where both cameras saw.
  ///   - anchor: index of the clone in whose kept camera the point is told.
  ///   - doubt: how uncertain its inverse distance is; nil: certain.
  ///   - prior: what is known of the inverse distance beforehand. It goes into the filter; nil for points that do not stay.
  /// - Returns: nil when the point cannot be seen from where a clone was, or numbers run out.
  package init?(
    sights: [FeatureTrack.Sight], clones: [Clone], anchor: Int, point: AnchoredPoint, doubt: SecondOrderTrackNoise?,
    prior: InverseDistancePrior? = nil, cameras: [FilterCamera]
  ) {
    guard var full = Self.linearised(sights, clones, anchor: anchor, point, cameras) else { return nil }
    unexplained = sights.allSatisfy { $0.camera == 0 } ? (full.residual, full.point) : ([], [])
    if let doubt { full.inflate { sight, gradient in doubt.variance(sight: sight, gradient: gradient) } }
    if let prior { full.append(prior, point) }
    var (H, F, r) = (full.pose, full.point, full.residual)
    let blocks = Self.distinct(clones).map(\.block) + (Self.lensBlock(sights, cameras).map { [$0] } ?? [])
    let columns = full.pose.count / full.residual.count, top = AnchoredPoint.errorSize
    guard Int(fuse_la_project(&F, Int32(r.count), Int32(top), &H, Int32(columns), &r)) == FUSE_LA_OK else { return nil }
    rows = LinearisedRows(
      blocks: blocks, jacobian: Array(H[(top * columns)...]), residual: Array(r[top...]))
    definition = Definition(point, factor: F[..<9], residual: r[..<3], jacobian: H[..<(top * columns)])
  }

  /// Each clone once, in order; sights from one clone are neighbours.
  private static func distinct(_ clones: [Clone]) -> [Clone] {
    clones.indices.filter { $0 == 0 || clones[$0].id != clones[$0 - 1].id }.map { clones[$0] }
  }

  /// The lens in the state that some of the sights came through.
  private static func lensBlock(_ sights: [FeatureTrack.Sight], _ cameras: [FilterCamera]) -> ErrorCovariance.Block? {
    sights.lazy.compactMap { cameras[$0.camera].lensBlock }.first
  }

  /// Before the projection, of n sights from m clones: `pose` is 2n x 6m, four columns wider where the lens is a part of the state,
  /// `point` 2n x 3, `residual` 2n; one row more after `append`.
  package struct Linearised {
    package var pose: [Double]
    package var point: [Double]
    package var residual: [Double]
    /// 2n, see `ReprojectionJacobian`.
    var gradients: [Vector3]

    /// Weights each row down by the noise variance given for it, in units of its own.
    mutating func inflate(by variance: (_ sight: Int, _ gradient: Vector3) -> Double) {
      let width = pose.count / residual.count
      for row in residual.indices {
        let weight = 1 / (1 + max(variance(row / 2, gradients[row]), 0)).squareRoot()
        for j in 0..<width { pose[row * width + j] *= weight }
        for j in 0..<3 { point[3 * row + j] *= weight }
        residual[row] *= weight
      }
    }

    /// Adds the prior as a measurement of the inverse distance.
    mutating func append(_ prior: InverseDistancePrior, _ at: AnchoredPoint) {
      pose += [Double](repeating: 0, count: pose.count / residual.count)
      point += [0, 0, 1 / prior.sigma]
      residual.append((prior.mean - at.inverseDistance) / prior.sigma)
    }
  }

  /// Residuals and Jacobians of all sights before the projection; nil when the lens cannot see the point.
  package static func linearised(
    _ sights: [FeatureTrack.Sight], _ clones: [Clone], anchor: Int, _ point: AnchoredPoint, _ cameras: [FilterCamera]
  ) -> Linearised? {
    let n = sights.count
    var column: [Int] = []
    for i in 0..<n {
      column.append(i == 0 ? 0 : column[i - 1] + (clones[i].id == clones[i - 1].id ? 0 : Clone.errorSize))
    }
    let lens = column[n - 1] + Clone.errorSize
    let width = lens + (lensBlock(sights, cameras) == nil ? 0 : LensModel.errorSize)
    var result = Linearised(
      pose: [Double](repeating: 0, count: 2 * n * width), point: [], residual: [], gradients: [])
    result.point.reserveCapacity(6 * n + 3)
    result.residual.reserveCapacity(2 * n + 1)
    result.gradients.reserveCapacity(2 * n)
    for i in 0..<n {
      guard
        let sight = ReprojectionJacobian(
          sights[i].pixel, from: clones[i], of: point, anchor: clones[anchor], camera: cameras[sights[i].camera])
      else { return nil }
      for row in sight.rows {
        let start = result.residual.count * width
        for axis in 0..<3 {
          // At the anchor itself the two parts cancel.
          result.pose[start + column[i] + axis] += row.rotation[axis]
          result.pose[start + column[i] + 3 + axis] += row.position[axis]
          result.pose[start + column[anchor] + axis] += row.anchorRotation[axis]
          result.pose[start + column[anchor] + 3 + axis] += row.anchorPosition[axis]
        }
        if cameras[sights[i].camera].lensBlock != nil {
          for k in 0..<LensModel.errorSize { result.pose[start + lens + k] = row.lens[k] }
        }
        result.point += [row.point.x, row.point.y, row.point.z]
        result.residual.append(row.residual)
        result.gradients.append(row.gradient)
      }
    }
    return result
  }
}

extension FeatureConstraint.Definition {
  /// From the three rows above the projected ones: `factor` R is 3 x 3, upper triangular.
  fileprivate init?(
    _ point: AnchoredPoint, factor: ArraySlice<Double>, residual: ArraySlice<Double>, jacobian H: ArraySlice<Double>
  ) {
    let R = Matrix3(
      rows: Vector3(factor[0], factor[1], factor[2]), Vector3(0, factor[4], factor[5]), Vector3(0, 0, factor[8]))
    let step = R.inverse.map { $0 * Vector3(residual[0], residual[1], residual[2]) }
    guard let inverse = R.inverse, let step, step.isFinite else { return nil }
    let columns = H.count / 3
    var jacobian = [Double](repeating: 0, count: H.count)
    for j in 0..<columns {
      let moved = inverse * Vector3(H[j], H[columns + j], H[2 * columns + j])
      for i in 0..<3 { jacobian[i * columns + j] = -moved[i] }
    }
    let spread = inverse * inverse.transpose
    self.jacobian = jacobian
    independent = (0..<9).map { spread[$0 / 3, $0 % 3] }
    self.point = point.plus(step)
  }
}

extension FeatureConstraint {
  /// What the sights, taken from `clones`, leave unexplained, in units of the stated noise; nil for a track that is too short to
  /// tell how it errs, and for one that two cameras saw.
  func sample(_ camera: FilterCamera, _ clones: [Clone]) -> TrackNoiseLearner.Sample? {
    guard clones.count >= TrackNoiseLearner.fewestObservations, !unexplained.residual.isEmpty else { return nil }
    let scale = camera.effectiveNoise / camera.pixelNoise
    return TrackNoiseLearner.Sample(
      residual: unexplained.residual.map { scale * $0 }, point: unexplained.point.map { scale * $0 },
      times: clones.map { $0.timestamp.seconds(since: clones[0].timestamp) })
  }
}
