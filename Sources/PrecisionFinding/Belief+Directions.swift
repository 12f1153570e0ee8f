import Foundation
import Geometry
import Ranging

/// In which direction the peer lies: horizontally, vertically, and in space.
extension Belief {
  /// The horizontal angle's marginal, radians, 0 ahead and positive right.
  package var horizontalAngle: AngleMarginal {
    let ahead = HorizontalAngle.aheadAzimuth(worldFromDevice: worldFromDevice.rotation)
    return AngleMarginal(
      gaussians.map { g in
        let d = g.position - origin
        let h = max(d.horizontalNorm, 1e-3)
        let e = Vector3(-d.y, d.x, 0) / h
        let sigma = (max(g.covariance.form(e, e), 0) / (h * h) + axesVariance).squareRoot()
        // Beyond a radian the Gaussian covers the circle.
        return .init(angle: ahead - atan2(d.y, d.x), sigma: min(sigma, 1.8), weight: g.weight)
      })
  }

  /// Probabilities that the peer is above, below, or on the same level, by the given limits.
  ///
  /// - Parameters: `height` in metres, `elevation` in radians: same is within either of the two.
  package func verticalProbabilities(height: Double, elevation: Double) -> (above: Double, below: Double, same: Double)
  {
    let slope = tan(elevation)
    var above = 0.0
    var below = 0.0
    for g in places {
      let d = g.position - origin
      let h = max(d.horizontalNorm, 1e-6)
      let horizontal = Vector3(d.x, d.y, 0) / h
      let up = Vector3(0, 0, 1)
      let sigmaUp = max(g.covariance.form(up, up), 1e-12).squareRoot()
      func side(_ sign: Double) -> Double {
        // Above: higher than `height` and steeper than `slope`; the two are nested in all but odd cases.
        let normal = sign * up - slope * horizontal
        let steep = max(g.covariance.form(normal, normal), 1e-12).squareRoot()
        return min(
          AngleMarginal.cdf((sign * d.z - height) / sigmaUp), AngleMarginal.cdf((sign * d.z - slope * h) / steep))
      }
      above += g.weight * side(1)
      below += g.weight * side(-1)
    }
    return (above, below, max(1 - above - below, 0))
  }

  /// Mean direction (world, unit) and the half-angle of the cone that holds 90 %, radians.
  package var direction: (mean: Vector3, cone: Double) {
    var sum = Vector3.zero
    for g in places { sum += g.weight * (g.position - origin).normalized }
    let u = sum.normalized
    let (e1, e2) = u.tangentBasis
    var c11 = 0.0
    var c12 = 0.0
    var c22 = 0.0
    for g in places {
      let d = g.position - origin
      let r = max(d.norm, 1e-3)
      let angle = acos(min(max(d.dot(u) / r, -1), 1))
      let a = d.dot(e1)
      let b = d.dot(e2)
      let s = max((a * a + b * b).squareRoot(), 1e-12)
      let (x, y) = (angle * a / s, angle * b / s)
      c11 += g.weight * (x * x + g.covariance.form(e1, e1) / (r * r) + axesVariance)
      c12 += g.weight * (x * y + g.covariance.form(e1, e2) / (r * r))
      c22 += g.weight * (y * y + g.covariance.form(e2, e2) / (r * r) + axesVariance)
    }
    let half = 0.5 * (c11 + c22)
    let root = (0.25 * (c11 - c22) * (c11 - c22) + c12 * c12).squareRoot()
    // 90 % of a round two-dimensional Gaussian lies within 2.146 sigma; the wider axis bounds it.
    return (u, 2.146 * (half + root).squareRoot())
  }

  /// Share of the posterior whose direction lies over `angle` radians from `mean` (unit, world).
  package func share(beyond angle: Double, of mean: Vector3) -> Double {
    var share = 0.0
    for g in places {
      let d = g.position - origin
      let r = max(d.norm, 1e-3)
      let u = d / r
      let off = acos(min(max(u.dot(mean), -1), 1))
      // Spread along the great circle that leads to the mean; any tangent where the two coincide.
      let toward = mean - mean.dot(u) * u
      let e = toward.norm > 1e-6 ? toward.normalized : u.tangentBasis.0
      let sigma = (max(g.covariance.form(e, e), 0) / (r * r) + axesVariance).squareRoot()
      share +=
        g.weight
        * (AngleMarginal.cdf((off - angle) / max(sigma, 1e-6)) + AngleMarginal.cdf((-off - angle) / max(sigma, 1e-6)))
    }
    return share
  }

  /// Second moments of the unit direction about its mean: its smallest eigenvalue tells whether any axis is informed.
  package var directionScatter: Matrix3 {
    var mean = Vector3.zero
    var second = Matrix3.zero
    for g in gaussians {
      let d = g.position - origin
      let r = max(d.norm, 1e-3)
      let u = d / r
      mean += g.weight * u
      // Spread within the Gaussian, without its radial part.
      let tangent = Matrix3.identity - Matrix3(outer: u, u)
      second += g.weight * (Matrix3(outer: u, u) + (1 / (r * r)) * (tangent * g.covariance * tangent))
    }
    return second - Matrix3(outer: mean, mean)
  }
}
