import Foundation
import Geometry

extension GaussianSum {
  /// Adds a Gaussian as an LOS/NLOS pair: the inverse of `moments`.
  ///
  /// - Parameter part: its mean must not be at the anchor.
  package mutating func append(_ part: PeerFilter.Part, _ configuration: RangingConfiguration) {
    let (mean, p, losProbability) = (part.mean, part.covariance, part.losProbability)
    let n = layout.dimension
    let d = Vector3(mean[0], mean[1], mean[2]) - anchor
    let rho = max(d.norm, Self.nearest)
    let u = d.norm > 1e-9 ? d.normalized : Vector3(1, 0, 0)
    let (e1, e2) = u.tangentBasis
    let inverse = Matrix3(rows: e1 / rho, e2 / rho, u)
    let spherical = Self.carried(p, by: inverse, size: n)
    var scalars = Array(mean[2...])
    scalars[0] = rho
    let e = layout.nlosBias
    let wasNLOS = spherical[e * n + e] > 0
    for isNLOS in [false, true] {
      var (x, q) = (scalars, spherical)
      if !(isNLOS && wasNLOS) {
        // LOS has no NLOS bias; that of a future NLOS interval is independent of the other states.
        for k in 0..<n { (q[e * n + k], q[k * n + e]) = (0, 0) }
        x[e - 2] = isNLOS ? configuration.nlosMean : 0
        q[e * n + e] = isNLOS ? configuration.nlosSpread * configuration.nlosSpread : 0
      }
      append(
        MixtureComponent(
          logWeight: log(part.probability * max(isNLOS ? 1 - losProbability : losProbability, 1e-12)), direction: u,
          tangent: e1, noise: 0,
          scalars: x,
          covariance: q))
    }
  }

  /// `J P J^T` of a covariance P (`size` x `size`, row-major), where J acts on the first three states only.
  private static func carried(_ covariance: [Double], by jacobian: Matrix3, size n: Int) -> [Double] {
    var p = covariance
    for c in 0..<n {
      let v = jacobian * Vector3(p[c], p[n + c], p[2 * n + c])
      for r in 0..<3 { p[r * n + c] = v[r] }
    }
    for r in 0..<n {
      let v = jacobian * Vector3(p[r * n], p[r * n + 1], p[r * n + 2])
      for c in 0..<3 { p[r * n + c] = v[c] }
    }
    return p
  }
}
