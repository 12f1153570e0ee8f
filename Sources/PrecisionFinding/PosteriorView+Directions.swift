import Foundation
import Geometry
import Ranging

/// Marginals of the direction: horizontal, vertical, and in space. Evaluated four Gaussians at a time.
extension PosteriorView {
  /// The horizontal angle's marginal, radians, 0 ahead and positive right.
  package var horizontalAngle: AngleMarginal {
    let ahead = HorizontalAngle.aheadAzimuth(worldFromDevice: worldFromDevice.rotation)
    let (c, s) = (cos(ahead), sin(ahead))
    return AngleMarginal(
      packed: packed.map { g in
        let d = g.position
        let h = (d.x * d.x + d.y * d.y).squareRoot().atLeast(1e-3)
        let (x, y) = (d.x / h, d.y / h)
        let sigma = (g.variance(LaneVector(-y, x, .zero)) / (h * h) + axesVariance).squareRoot()
        var four = AngleMarginal.Component4()
        four.angle = ahead - Lanes.angle(y: d.y, x: d.x)
        // Beyond a radian the Gaussian covers the circle.
        four.sigma = sigma.replacing(with: 1.8, where: sigma .> 1.8)
        four.weight = g.weight
        four.axis = (c * x + s * y, s * x - c * y)
        return four
      })
  }

  /// Probabilities that the peer is above, below, or on the same level, by the given limits.
  ///
  /// - Parameters: `height` in metres, `elevation` in radians: same is within either of the two.
  package func verticalProbabilities(height: Double, elevation: Double) -> (above: Double, below: Double, same: Double)
  {
    let slope = tan(elevation)
    var (above, below) = (Lanes.zero, Lanes.zero)
    for g in packedWithImages {
      let d = g.position
      let h = (d.x * d.x + d.y * d.y).squareRoot().atLeast(1e-6)
      let (x, y) = (d.x / h, d.y / h)
      let sigmaUp = g.rows.2.z.atLeast(1e-12).squareRoot()
      func side(_ sign: Double) -> Lanes {
        // Above: higher than `height` and steeper than `slope`; the two are nested in all but odd cases.
        let normal = LaneVector(-slope * x, -slope * y, Lanes(repeating: sign))
        let steep = g.variance(normal).atLeast(1e-12).squareRoot()
        // The lesser of the two probabilities belongs to the lesser argument.
        let (high, far) = ((sign * d.z - height) / sigmaUp, (sign * d.z - slope * h) / steep)
        return Lanes.normalCDF(below: high.replacing(with: far, where: far .< high))
      }
      above += g.weight * side(1)
      below += g.weight * side(-1)
    }
    return (above.sum(), below.sum(), max(1 - above.sum() - below.sum(), 0))
  }

  /// Mean direction (world, unit) and the half-angle of the cone that holds 90 %, radians.
  package var direction: (mean: Vector3, cone: Double) {
    var sum = LaneVector(repeating: .zero)
    for g in packedWithImages { sum = sum + (g.weight / g.position.norm.atLeast(1e-12)) * g.position }
    let u = sum.sum.normalized
    let axes = (LaneVector(repeating: u.tangentBasis.0), LaneVector(repeating: u.tangentBasis.1))
    let mean = LaneVector(repeating: u)
    var (c11, c12, c22) = (Lanes.zero, Lanes.zero, Lanes.zero)
    for g in packedWithImages {
      let r = g.position.norm.atLeast(1e-3)
      let (a, b) = (g.position.dot(axes.0), g.position.dot(axes.1))
      let s = (a * a + b * b).squareRoot()
      let angle = Lanes.angle(y: s, x: g.position.dot(mean)) / s.atLeast(1e-12)
      let (x, y) = (angle * a, angle * b)
      let (p1, p2, square) = (g.spread(axes.0), g.spread(axes.1), r * r)
      c11 += g.weight * (x * x + axes.0.dot(p1) / square + axesVariance)
      c12 += g.weight * (x * y + axes.1.dot(p1) / square)
      c22 += g.weight * (y * y + axes.1.dot(p2) / square + axesVariance)
    }
    let half = 0.5 * (c11.sum() + c22.sum())
    let (difference, cross) = (0.5 * (c11.sum() - c22.sum()), c12.sum())
    let root = (difference * difference + cross * cross).squareRoot()
    // 90 % of a round two-dimensional Gaussian lies within 2.146 sigma; the wider axis bounds it.
    return (u, 2.146 * (half + root).squareRoot())
  }

  /// Probability that the direction lies over `angle` radians from `mean` (unit, world).
  package func probability(beyond angle: Double, of mean: Vector3) -> Double {
    let mean = LaneVector(repeating: mean)
    var probability = Lanes.zero
    for g in packedWithImages {
      let r = g.position.norm.atLeast(1e-3)
      let u = (1 / r) * g.position
      let along = u.dot(mean)
      // Spread along the great circle that leads to the mean; any tangent where the two coincide.
      let toward = mean - along * u
      let sine = toward.norm
      let upright = (u.z .< 0.9) .& (u.z .> -0.9)
      let aside = u.cross(
        LaneVector(
          Lanes.zero.replacing(with: 1, where: .!upright), .zero, Lanes.zero.replacing(with: 1, where: upright)))
      let e = ((1 / sine.atLeast(1e-300)) * toward).replacing(with: aside.normalized, where: sine .<= 1e-6)
      let off = Lanes.angle(y: sine, x: along)
      let sigma = (g.variance(e) / (r * r) + axesVariance).squareRoot().atLeast(1e-6)
      probability +=
        g.weight * (Lanes.normalCDF(below: (off - angle) / sigma) + Lanes.normalCDF(below: (-off - angle) / sigma))
    }
    return probability.sum()
  }

  /// Second moments of the unit direction about its mean: the smallest eigenvalue shows whether any axis is observed.
  package var directionScatter: Matrix3 {
    var mean = LaneVector(repeating: .zero)
    var rows = (mean, mean, mean)
    for g in packed {
      let r = g.position.norm.atLeast(1e-3)
      let u = (1 / r) * g.position
      mean = mean + g.weight * u
      // Spread within the Gaussian without its radial part, (I - u u^T) P (I - u u^T).
      let p = g.spread(u)
      let (along, inverse) = (u.dot(p), 1 / (r * r))
      func row(_ own: LaneVector, _ k: Lanes, _ pk: Lanes) -> LaneVector {
        (g.weight * k) * u + (g.weight * inverse) * (own - k * p + (k * along - pk) * u)
      }
      rows.0 = rows.0 + row(g.rows.0, u.x, p.x)
      rows.1 = rows.1 + row(g.rows.1, u.y, p.y)
      rows.2 = rows.2 + row(g.rows.2, u.z, p.z)
    }
    let m = mean.sum
    return Matrix3(columns: rows.0.sum, rows.1.sum, rows.2.sum) - Matrix3(outer: m, m)
  }
}
