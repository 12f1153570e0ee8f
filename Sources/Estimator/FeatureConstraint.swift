internal import CLinearAlgebra
import Geometry
import Vision

/// What one tracked point says about the clones that saw it, the point itself eliminated.
///
/// `r = H_x dx + H_f df + n` is projected onto the left null space of H_f (Mourikis and Roumeliotis 2007,
/// doi:10.1109/ROBOT.2007.364024). Residuals are pixels over their noise, so `n` has unit variance. With
/// `q_i = b - rho o_i`, b the bearing at the anchor and `o_i` the way from the anchor to camera i, a sight depends on
/// `rho (f - p_i)`: `H_theta = J R_CW [rho (f - p_I)]x`, `H_p = -rho J R_CW`, `H_f = J R_CW [e1 e2 -o_i]`, all finite at
/// rho = 0, where only the rotation is constrained. They are taken at the clones' first estimates.
package struct FeatureConstraint {
  /// Rows left after the projection: 2 sights - 3.
  package let rows: Int
  /// Ids of the clones involved, six columns each, in the order of their sights.
  package let cloneIDs: [Int]
  /// rows x 6 sights, row-major.
  package let jacobian: [Double]
  /// rows.
  package let residual: [Double]

  /// - Parameters:
  ///   - sights: what was seen, each from the clone of the same index; at least two.
  ///   - feature: the point, anchored in the first clone's camera, from the present estimates.
  ///   - doubt: how uncertain its inverse distance is.
  /// - Returns: nil when the point cannot be seen from where a clone was, or numbers run out.
  package init?(
    sights: [FeatureTrack.Sight], clones: [Clone], feature: BearingFeature, doubt: DistanceDoubt, camera: FilterCamera
  ) {
    guard var full = Self.linearised(sights, clones, feature, camera) else { return nil }
    full.inflate { sight, gradient in doubt.variance(sight: sight, gradient: gradient) }
    var (H, F, r) = (full.pose, full.feature, full.residual)
    let count = Int32(r.count), columns = Int32(Clone.errorSize * clones.count)
    guard Int(fuse_la_project(&F, count, 3, &H, columns, &r)) == FUSE_LA_OK else { return nil }
    rows = r.count - 3
    cloneIDs = clones.map(\.id)
    jacobian = Array(H[(3 * Int(columns))...])
    residual = Array(r[3...])
  }

  /// Before the projection: `pose` is 2n x 6n, `feature` 2n x 3, `residual` 2n.
  package struct Linearised {
    package var pose: [Double]
    package var feature: [Double]
    package var residual: [Double]
    /// 2n, world axes: how a coordinate changes with `rho` times the camera's position, negated.
    var gradients: [Vector3]

    /// Weights each row down by the noise variance given for it, in units of its own.
    mutating func inflate(by variance: (_ sight: Int, _ gradient: Vector3) -> Double) {
      let width = pose.count / residual.count
      for row in residual.indices {
        let weight = 1 / (1 + max(variance(row / 2, gradients[row]), 0)).squareRoot()
        for j in 0..<width { pose[row * width + j] *= weight }
        for j in 0..<3 { feature[3 * row + j] *= weight }
        residual[row] *= weight
      }
    }
  }

  /// Residuals and Jacobians of all sights before the projection; nil when the lens cannot see the point.
  package static func linearised(
    _ sights: [FeatureTrack.Sight], _ clones: [Clone], _ feature: BearingFeature, _ camera: FilterCamera
  ) -> Linearised? {
    let imuFromCamera = camera.imuFromCamera, lens = camera.lens, pixelNoise = camera.pixelNoise
    let n = sights.count, width = Clone.errorSize * n
    var result = Linearised(
      pose: [Double](repeating: 0, count: 2 * n * width), feature: [Double](repeating: 0, count: 6 * n),
      residual: [Double](repeating: 0, count: 2 * n), gradients: [Vector3](repeating: .zero, count: 2 * n))
    let anchor = clones[0].worldFromIMU * imuFromCamera
    let firstAnchor = clones[0].firstWorldFromIMU * imuFromCamera
    // The same point relative to its anchor, in the world of the first estimates.
    let firstBearing = firstAnchor.rotation * (anchor.rotation.inverse * feature.bearing)
    let firstFeature = BearingFeature(bearing: firstBearing, inverseDistance: feature.inverseDistance)
    let (e1, e2) = firstBearing.tangentBasis
    let rho = feature.inverseDistance

    for i in 0..<n {
      let now = clones[i].worldFromIMU * imuFromCamera
      let seen = now.rotation.inverse * feature.scaled(from: now.translation - anchor.translation)
      guard let predicted = lens.project(seen) else { return nil }

      let first = clones[i].firstWorldFromIMU * imuFromCamera
      let cameraFromWorld = first.rotation.inverse
      let offset = first.translation - firstAnchor.translation
      guard let projection = lens.project(cameraFromWorld * firstFeature.scaled(from: offset)) else { return nil }
      let fromIMU = firstFeature.scaled(
        from: clones[i].firstWorldFromIMU.translation - firstAnchor.translation)

      let error = (sights[i].pixel - predicted.pixel) / pixelNoise
      for (k, gradient) in [projection.columnGradient, projection.rowGradient].enumerated() {
        // Row vectors from the right: g^T R_CW = (R_WC g)^T, and g^T [q]x = (g x q)^T.
        let g = first.rotation * gradient / pixelNoise
        let theta = g.cross(fromIMU), position = -rho * g
        let row = 2 * i + k
        for axis in 0..<3 {
          result.pose[row * width + 6 * i + axis] = theta[axis]
          result.pose[row * width + 6 * i + 3 + axis] = position[axis]
        }
        result.feature[3 * row] = g.dot(e1)
        result.feature[3 * row + 1] = g.dot(e2)
        result.feature[3 * row + 2] = -g.dot(offset)
        result.residual[row] = error[k]
        result.gradients[row] = g
      }
    }
    return result
  }
}
