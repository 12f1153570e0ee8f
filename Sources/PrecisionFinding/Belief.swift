import Foundation
import Geometry
import Ranging

/// What the posterior of one peer says as seen from the device now: every output is read off this, each on its own.
package struct Belief {
  /// The device axes in the estimate's world.
  package let worldFromDevice: Pose
  /// The posterior; shares sum to 1.
  package let gaussians: [TargetGaussian]
  /// Probability that all this is wrong and the peer anywhere: what `ContradictionWatch` thinks of it.
  package let doubt: Double
  /// Variance of the device's axes, rad^2.
  private let axesVariance: Double

  /// - Parameters:
  ///   - axesUncertainty: 1-sigma of the device's axes, radians.
  ///   - doubt: probability that the posterior is wrong, 0...1.
  package init(worldFromDevice: Pose, gaussians: [TargetGaussian], axesUncertainty: Double = 0, doubt: Double = 0) {
    self.worldFromDevice = worldFromDevice
    self.doubt = doubt
    axesVariance = axesUncertainty * axesUncertainty
    let total = gaussians.reduce(0) { $0 + $1.weight }
    self.gaussians = gaussians.map { gaussian in
      var share = gaussian
      share.weight /= max(total, 1e-300)
      return share
    }
  }

  private var origin: Vector3 { worldFromDevice.translation }

  /// Distance from the device's origin by the radio's scale, bias removed: mean and 1-sigma, metres.
  ///
  /// `(1 + s) |d|`: a monocular trajectory is off in scale by percents, a radio by far less, so the link's scale error is
  /// taken to be the trajectory's, and the distance is the one the radio measures.
  package var distance: (mean: Double, sigma: Double) {
    moments { g in
      let d = g.position - origin
      let r = max(d.norm, 1e-6)
      let q = d / r
      let k = 1 + g.scale
      let cross = 2 * k * r * q.dot(g.scaleCovariance)
      return (k * r, max(k * k * g.covariance.form(q, q) + cross + r * r * g.scaleVariance, 0))
    }
  }

  /// Horizontal distance: mean and 1-sigma, metres.
  package var horizontalDistance: (mean: Double, sigma: Double) {
    moments { g in
      let d = g.position - origin
      let h = Vector3(d.x, d.y, 0)
      let r = max(h.norm, 1e-6)
      return (r, g.covariance.form(h / r, h / r))
    }
  }

  private func moments(_ f: (TargetGaussian) -> (Double, Double)) -> (mean: Double, sigma: Double) {
    var mean = 0.0
    var square = 0.0
    for g in gaussians {
      let (value, variance) = f(g)
      mean += g.weight * value
      square += g.weight * (value * value + variance)
    }
    return (mean, max(square - mean * mean, 0).squareRoot())
  }

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
    for g in gaussians {
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

  /// Mean position in the world and the covariance about it.
  package var position: (mean: Vector3, covariance: Matrix3) {
    var mean = Vector3.zero
    for g in gaussians { mean += g.weight * g.position }
    var covariance = Matrix3.zero
    for g in gaussians {
      let d = g.position - mean
      covariance += g.weight * (g.covariance + Matrix3(outer: d, d))
    }
    return (mean, covariance)
  }

  /// Share of the posterior over `radius` metres from its mean position, or a little more: each Gaussian spreads along the way to
  /// the mean, or along its widest axis where it is wider.
  ///
  /// - Parameter extra: what the trajectory's own error adds to every covariance, m^2.
  package func share(beyond radius: Double, ofMeanWith extra: Matrix3) -> Double {
    let mean = position.mean
    var share = 0.0
    for g in gaussians {
      let off = (g.position - mean).norm
      let covariance = g.covariance + extra
      let sigma = max(-Readout.smallestEigenvalue(-1 * covariance), 1e-12).squareRoot()
      share +=
        g.weight * (AngleMarginal.cdf((off - radius) / sigma) + AngleMarginal.cdf((-off - radius) / sigma))
    }
    return share
  }

  /// Mean direction (world, unit) and the half-angle of the cone that holds 90 %, radians.
  package var direction: (mean: Vector3, cone: Double) {
    var sum = Vector3.zero
    for g in gaussians { sum += g.weight * (g.position - origin).normalized }
    let u = sum.normalized
    let (e1, e2) = u.tangentBasis
    var c11 = 0.0
    var c12 = 0.0
    var c22 = 0.0
    for g in gaussians {
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
    for g in gaussians {
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
