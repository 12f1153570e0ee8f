internal import CLinearAlgebra
import CameraGeometry
import Geometry

/// Outlier removal by deletion residuals.
extension InitializationRefinement {
  /// Residual of a point's observations against their prediction from all other points.
  package struct DeletionResidual {
    /// Normalised and squared: chi-square of `freedom` degrees for a stationary point.
    package var square: Double
    /// Degrees of freedom: two per observation, less two.
    package var freedom: Int
  }

  /// Points consistent with all others, or nil if all are. The worst outliers are removed first, because they mask
  /// others.
  ///
  /// A slowly sliding point pulls the states towards itself, the more so the weaker the other information, and then has
  /// small residuals. Its deletion residual excludes that influence: 99.9 % of stationary points are within the limit.
  package var deletionInliers: [InitializationPoint]? {
    guard let all = deletionResiduals else { return nil }
    var reducedSquares = all.map { $0.square / Double($0.freedom) }
    let scale = max(1, Disparity.median(&reducedSquares) ?? 1)
    let ratios = all.map { $0.square / (scale * ChiSquaredQuantile.quantile999($0.freedom)) }
    guard let worst = ratios.max(), worst > 1 else { return nil }
    return zip(points, ratios).filter { $0.1 < max(1, Self.jointRejectionRatio * worst) }.map(\.0)
  }

  /// Points above this fraction of the worst one's ratio, and above the limit, are removed together with it.
  private static let jointRejectionRatio = 0.6

  /// Deletion residual of every point; nil if the system is singular. With residuals r and covariance P of the states,
  /// both after elimination of the point, it is `r^T (I - H P H^T)^-1 r`: the squared residual of the point, normalised
  /// by its covariance, had the point not been used.
  ///
  /// O(s^3) for s states, and O(n^3) for each point of n observations. Source: Cook and Weisberg, "Residuals and
  /// Influence in Regression", 1982, section 2.2.
  package var deletionResiduals: [DeletionResidual]? {
    let size = linear.system.size, views = views
    guard let covariance = linear.reduced(damping: 0)?.system.covariance(of: Array(0..<size)) else { return nil }
    var result: [DeletionResidual] = []
    for point in points {
      guard let rows = projected(point, from: views) else { return nil }
      let (n, m) = (rows.residual.count, rows.unknowns.count)
      var spread = [Double](repeating: 0, count: n * m)  // H P
      for i in 0..<n {
        for (a, row) in rows.unknowns.enumerated() {
          let h = rows.jacobian[i * m + a], from = row * 3 * size
          if h != 0 {
            for (b, column) in rows.unknowns.enumerated() { spread[i * m + b] += h * covariance[from + column] }
          }
        }
      }
      var left = [Double](repeating: 0, count: n * n)  // I - H P H^T
      for i in 0..<n {
        for j in i..<n {
          let shared = (0..<m).reduce(0) { $0 + spread[i * m + $1] * rows.jacobian[j * m + $1] }
          left[i * n + j] = (i == j ? 1 : 0) - shared
        }
      }
      var solved = rows.residual
      guard Int(fuse_la_solve(left, Int32(n), &solved, 1)) == FUSE_LA_OK else { return nil }
      result.append(DeletionResidual(square: zip(rows.residual, solved).reduce(0) { $0 + $1.0 * $1.1 }, freedom: n))
    }
    return result
  }

  /// Null-space projection of a point's observations and its distance prior: rows over the states alone. `unknowns` are
  /// those of the states.
  private func projected(_ point: InitializationPoint, from views: [InitializationView])
    -> (unknowns: [Int], jacobian: [Double], residual: [Double])?
  {
    guard let (_, observations) = pointTerm(point, from: views) else { return nil }
    let blocks = zip(point.observations, observations).map { columns(of: $1.linear, pose: $0.poseID) }
    let indices = Set(blocks.joined().map(\.index)).sorted()
    let unknowns = indices.flatMap { 3 * $0..<3 * $0 + 3 }
    let rows = 2 * observations.count + 1, m = unknowns.count
    var H = [Double](repeating: 0, count: rows * m), F = [Double](repeating: 0, count: rows * 3)
    var r = [Double](repeating: 0, count: rows)
    for (k, (observation, own)) in zip(observations, blocks).enumerated() {
      let weight = observation.weight.squareRoot()
      let point = [observation.linear.rows.0.point, observation.linear.rows.1.point]
      for axis in 0..<2 {
        let row = 2 * k + axis
        r[row] = weight * observation.linear.residual[axis]
        for c in 0..<3 { F[3 * row + c] = weight * point[axis][c] }
        for (index, pair) in own {
          guard let at = unknowns.firstIndex(of: 3 * index) else { continue }
          let values = axis == 0 ? pair.0 : pair.1
          for c in 0..<3 { H[row * m + at + c] = weight * values[c] }
        }
      }
    }
    r[rows - 1] = (prior.mean - point.inverseDistance) / prior.sigma
    F[3 * rows - 1] = 1 / prior.sigma
    guard Int(fuse_la_project(&F, Int32(rows), 3, &H, Int32(m), &r)) == FUSE_LA_OK else { return nil }
    return (unknowns, Array(H[(3 * m)...]), Array(r[3...]))
  }
}
