internal import CLinearAlgebra
import CameraGeometry
import Geometry

/// MSCKF constraint of one tracked point on the clones that observed it, by null-space projection. For points that
/// become landmarks also the remaining rows: the point, given the clones.
///
/// `r = H_x dx + H_f df + n` is projected onto the left null space of H_f (Mourikis and Roumeliotis 2007,
/// doi:10.1109/ROBOT.2007.364024). The other three rows, `r_1 = H_1 dx + R df + n_1` with R triangular, are independent
/// of the projected ones and define the point: `df = R^-1 (r_1 - H_1 dx - n_1)` (delayed initialisation: Li and
/// Mourikis, "Optimization-based estimator design for vision-aided inertial navigation", RSS 2012). No observation is
/// used twice.
package struct FeatureConstraint {
  /// The projected rows, without the point: 2 observations - 3 rows, one more with a prior.
  package let rows: LinearisedRows
  /// The definition of the point; nil when its distance is unobservable.
  package let definition: Definition?
  private let unexplained: (residual: [Double], point: [Double])

  /// A point's error (d1, d2, rho) as a function of the errors of the constraint's blocks and independent noise.
  package struct Definition: Equatable, Sendable {
    /// Linearisation point, corrected by the residuals.
    package let point: AnchoredPoint
    /// 3 x columns of the constraint, row-major: d point / d clones, and lens.
    package let jacobian: [Double]
    /// 3 x 3, row-major: covariance for exact clones (and lens).
    package let independent: [Double]
  }

  /// - Parameters:
  ///   - observations: each from the clone of the same index; at least two. A clone appears twice where both cameras
  ///     observed.
  ///   - anchor: index of the clone that anchors the point.
  ///   - secondOrderNoise: noise due to the uncertain inverse distance; nil: none.
  ///   - prior: prior on the inverse distance. It goes into the filter; nil for points that do not become landmarks.
  /// - Returns: nil when the lens cannot project the point from a clone, or a number is not finite.
  package init?(
    observations: [FeatureTrack.Observation], clones: [Clone], anchor: Int, point: AnchoredPoint,
    secondOrderNoise: SecondOrderTrackNoise?, prior: InverseDistancePrior? = nil, cameras: [FilterCamera]
  ) {
    guard var full = Self.linearised(observations, clones, anchor: anchor, point, cameras) else { return nil }
    unexplained = observations.allSatisfy { $0.camera == 0 } ? (full.residual, full.point) : ([], [])
    if let secondOrderNoise {
      full.inflate { index, gradient in secondOrderNoise.variance(observation: index, gradient: gradient) }
    }
    if let prior { full.append(prior, point) }
    var (H, F, r) = (full.pose, full.point, full.residual)
    let blocks = Self.distinct(clones).map(\.block) + (Self.lensBlock(observations, cameras).map { [$0] } ?? [])
    let columns = full.pose.count / full.residual.count, top = AnchoredPoint.errorSize
    guard Int(fuse_la_project(&F, Int32(r.count), Int32(top), &H, Int32(columns), &r)) == FUSE_LA_OK else { return nil }
    rows = LinearisedRows(
      blocks: blocks, jacobian: Array(H[(top * columns)...]), residual: Array(r[top...]))
    definition = Definition(point, factor: F[..<9], residual: r[..<3], jacobian: H[..<(top * columns)])
  }

  /// Each clone once, in order; observations from one clone are adjacent.
  private static func distinct(_ clones: [Clone]) -> [Clone] {
    clones.indices.filter { $0 == 0 || clones[$0].id != clones[$0 - 1].id }.map { clones[$0] }
  }

  /// Block of the lens used by some of the observations, if it is a state.
  private static func lensBlock(_ observations: [FeatureTrack.Observation], _ cameras: [FilterCamera])
    -> ErrorCovariance.Block?
  {
    observations.lazy.compactMap { cameras[$0.camera].lensBlock }.first
  }

  /// The rows before projection, of n observations from m clones: `pose` is 2n x 6m, four columns wider if the lens is
  /// a state, `point` 2n x 3, `residual` 2n; one row more after `append`.
  package struct Linearised {
    package var pose: [Double]
    package var point: [Double]
    package var residual: [Double]
    /// 2n, see `ReprojectionJacobian`.
    var gradients: [Vector3]

    /// Adds to each row the given noise variance, in units of its own, by reducing its weight.
    mutating func inflate(by variance: (_ observation: Int, _ gradient: Vector3) -> Double) {
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

  /// Residuals and Jacobians of all observations before projection; nil when the lens cannot project the point.
  package static func linearised(
    _ observations: [FeatureTrack.Observation], _ clones: [Clone], anchor: Int, _ point: AnchoredPoint,
    _ cameras: [FilterCamera]
  ) -> Linearised? {
    let n = observations.count
    var column: [Int] = []
    for i in 0..<n {
      column.append(i == 0 ? 0 : column[i - 1] + (clones[i].id == clones[i - 1].id ? 0 : Clone.errorSize))
    }
    let lens = column[n - 1] + Clone.errorSize
    let width = lens + (lensBlock(observations, cameras) == nil ? 0 : LensModel.errorSize)
    var result = Linearised(
      pose: [Double](repeating: 0, count: 2 * n * width), point: [], residual: [], gradients: [])
    result.point.reserveCapacity(6 * n + 3)
    result.residual.reserveCapacity(2 * n + 1)
    result.gradients.reserveCapacity(2 * n)
    for i in 0..<n {
      guard
        let observation = ReprojectionJacobian(
          observations[i].pixel, rowDelay: observations[i].rowDelay, from: clones[i], of: point,
          anchor: clones[anchor], camera: cameras[observations[i].camera])
      else { return nil }
      for row in observation.rows {
        let start = result.residual.count * width
        for axis in 0..<3 {
          // At the anchor itself the two parts cancel.
          result.pose[start + column[i] + axis] += row.rotation[axis]
          result.pose[start + column[i] + 3 + axis] += row.position[axis]
          result.pose[start + column[anchor] + axis] += row.anchorRotation[axis]
          result.pose[start + column[anchor] + 3 + axis] += row.anchorPosition[axis]
        }
        if cameras[observations[i].camera].lensBlock != nil {
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
  /// Residuals of the observations from `clones`, in units of the stated noise, for the track noise; nil for tracks
  /// that are too short, or observed by two cameras.
  func sample(_ camera: FilterCamera, _ clones: [Clone]) -> TrackNoiseLearner.Sample? {
    guard clones.count >= TrackNoiseLearner.fewestObservations, !unexplained.residual.isEmpty else { return nil }
    let scale = camera.effectiveNoise / camera.pixelNoise
    return TrackNoiseLearner.Sample(
      residual: unexplained.residual.map { scale * $0 }, point: unexplained.point.map { scale * $0 },
      times: clones.map { $0.timestamp.seconds(since: clones[0].timestamp) })
  }
}
