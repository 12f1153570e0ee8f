import Foundation
import Geometry
import LeastSquares
import Ranging

/// The posterior of one peer as seen from the device now: every output is computed from it, each on its own.
package struct PosteriorView {
  /// The device axes in the estimate's world.
  package let worldFromDevice: Pose
  /// The posterior; weights sum to 1.
  package let gaussians: [PositionGaussian]
  /// The posterior with the lateral and vertical reflection images: the vertical outputs, and those that include them,
  /// use these. Images behind a tilted plane also differ horizontally, but there the hypotheses hold the remaining
  /// probability.
  package let gaussiansWithImages: [PositionGaussian]
  /// Probability that the ranges contradict the posterior and the peer may be anywhere: see `ModelBank`.
  package let contradictionProbability: Double
  /// Variance of the device's axes, rad^2.
  let axesVariance: Double
  /// The posterior with lateral images, and with both kinds of images, in fours, relative to the device.
  let packed, packedWithImages: [PositionGaussian4]

  /// - Parameters:
  ///   - axesUncertainty: 1-sigma of the device's axes, radians.
  ///   - contradictionProbability: probability that the posterior is wrong, 0...1.
  ///   - lateralAmbiguity: ambiguity between left and right of the path; nil: none.
  ///   - verticalAmbiguity: ambiguity about the path's plane; nil: none.
  package init(
    worldFromDevice: Pose, gaussians: consuming [PositionGaussian], axesUncertainty: Double = 0,
    contradictionProbability: Double = 0, lateralAmbiguity: LateralAmbiguity? = nil,
    verticalAmbiguity: VerticalAmbiguity? = nil
  ) {
    self.worldFromDevice = worldFromDevice
    self.contradictionProbability = contradictionProbability
    axesVariance = axesUncertainty * axesUncertainty
    var normalized = gaussians
    let total = normalized.reduce(0) { $0 + $1.weight }
    for i in normalized.indices { normalized[i].weight /= max(total, 1e-300) }
    self.gaussians = normalized
    let withLateralImages = lateralAmbiguity?.withImages(normalized) ?? normalized
    packed = PositionGaussian4.packed(withLateralImages, from: worldFromDevice.translation)
    if let withImages = verticalAmbiguity?.withImages(withLateralImages), withImages.count > withLateralImages.count {
      (gaussiansWithImages, packedWithImages) = (
        withImages, PositionGaussian4.packed(withImages, from: worldFromDevice.translation)
      )
    } else {
      (gaussiansWithImages, packedWithImages) = (withLateralImages, packed)
    }
  }

  var origin: Vector3 { worldFromDevice.translation }

  /// Distance from the device's origin by the radio's scale, bias removed: mean and 1-sigma, metres.
  ///
  /// `(1 + s) |d|`: a monocular trajectory errs in scale by percents, a radio by far less. So the link's scale error is
  /// attributed to the trajectory, and the distance is the one the radio measures.
  package var distance: (mean: Double, sigma: Double) {
    moments { g in
      let r = g.position.norm.atLeast(1e-6)
      let q = (1 / r) * g.position
      let k = 1 + g.scale
      let cross = 2 * k * r * q.dot(g.scaleCovariance)
      return (k * r, (k * k * q.dot(g.spread(q)) + cross + r * r * g.scaleVariance).atLeast(0))
    }
  }

  /// Horizontal distance: mean and 1-sigma, metres.
  package var horizontalDistance: (mean: Double, sigma: Double) {
    moments { g in
      let r = (g.position.x * g.position.x + g.position.y * g.position.y).squareRoot().atLeast(1e-6)
      return (r, g.variance(LaneVector(g.position.x / r, g.position.y / r, .zero)))
    }
  }

  @inline(__always)
  private func moments(_ f: (PositionGaussian4) -> (Lanes, Lanes)) -> (mean: Double, sigma: Double) {
    var (mean, square) = (Lanes.zero, Lanes.zero)
    for g in packed {
      let (value, variance) = f(g)
      mean += g.weight * value
      square += g.weight * (value * value + variance)
    }
    return (mean.sum(), max(square.sum() - mean.sum() * mean.sum(), 0).squareRoot())
  }

  /// Mean position in the world and the covariance about it.
  package var position: (mean: Vector3, covariance: Matrix3) {
    let (mean, covariance) = Self.moments(packedWithImages)
    return (origin + mean, covariance)
  }

  /// What the reflection images add to the covariance of the position, m^2.
  package var ambiguityCovariance: Matrix3 {
    guard gaussiansWithImages.count > gaussians.count else { return .zero }
    return position.covariance - Self.moments(PositionGaussian4.packed(gaussians, from: origin)).covariance
  }

  /// Mean and covariance of Gaussians, relative to the device.
  private static func moments(_ packed: [PositionGaussian4]) -> (mean: Vector3, covariance: Matrix3) {
    var sum = LaneVector(repeating: .zero)
    for g in packed { sum = sum + g.weight * g.position }
    let mean = sum.sum
    let center = LaneVector(repeating: mean)
    var rows = (LaneVector(repeating: .zero), LaneVector(repeating: .zero), LaneVector(repeating: .zero))
    for g in packed {
      let d = g.position - center
      rows.0 = rows.0 + g.weight * (g.rows.0 + d.x * d)
      rows.1 = rows.1 + g.weight * (g.rows.1 + d.y * d)
      rows.2 = rows.2 + g.weight * (g.rows.2 + d.z * d)
    }
    return (mean, Matrix3(columns: rows.0.sum, rows.1.sum, rows.2.sum))
  }

  /// Probability over `radius` metres from the mean position, or a little more. Each Gaussian spreads along the line to
  /// the mean, or along its widest axis where it is wider.
  ///
  /// - Parameter extra: covariance that the trajectory's own error adds to each Gaussian, m^2.
  package func probability(beyond radius: Double, ofMeanWith extra: Matrix3) -> Double {
    let mean = position.mean
    var probability = 0.0
    for g in gaussiansWithImages {
      let off = (g.position - mean).norm
      let covariance = g.covariance + extra
      let sigma = max(-(-1 * covariance).smallestEigenvalue, 1e-12).squareRoot()
      probability +=
        g.weight
        * (NormalDistribution.cumulative((off - radius) / sigma)
          + NormalDistribution.cumulative((-off - radius) / sigma))
    }
    return probability
  }
}

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

/// The marginal posterior of an angle as a sum of Gaussians on the circle.
package struct AngleMarginal {
  /// One Gaussian: angle (radians, not wrapped), 1-sigma and weight.
  package struct Component {
    package var angle: Double
    package var sigma: Double
    package var weight: Double

    package init(angle: Double, sigma: Double, weight: Double) {
      self.angle = angle
      self.sigma = sigma
      self.weight = weight
    }
  }

  /// Four components side by side.
  package struct Component4 {
    package var angle = Lanes.zero, sigma = Lanes(repeating: 1), weight = Lanes.zero
    /// Cosine and sine of the angle.
    package var axis = (cosine: Lanes(repeating: 1), sine: Lanes.zero)
  }

  /// Circular mean of the whole, radians.
  package let mean: Double
  /// Angles relative to the mean, in (-pi, pi]; the weights sum to 1.
  private let packed: [Component4]

  /// A marginal; the weights need not sum to 1. Empty input has mean 0 and no mass.
  package init(_ input: [Component]) {
    var packed = [Component4](repeating: Component4(), count: (input.count + 3) / 4)
    for (k, c) in input.enumerated() {
      packed[k / 4].angle[k % 4] = c.angle
      packed[k / 4].sigma[k % 4] = c.sigma
      packed[k / 4].weight[k % 4] = c.weight
      (packed[k / 4].axis.cosine[k % 4], packed[k / 4].axis.sine[k % 4]) = (cos(c.angle), sin(c.angle))
    }
    self.init(packed: packed)
  }

  /// The same from components in fours.
  package init(packed input: [Component4]) {
    var (total, x, y) = (Lanes.zero, Lanes.zero, Lanes.zero)
    for four in input {
      // E[exp(i angle)] of a Gaussian shrinks by exp(-sigma^2/2).
      let length = four.weight * Lanes.exp(-0.5 * four.sigma * four.sigma)
      total += four.weight
      x += length * four.axis.cosine
      y += length * four.axis.sine
    }
    let center = x.sum() == 0 && y.sum() == 0 ? 0 : atan2(y.sum(), x.sum())
    mean = center
    let whole = max(total.sum(), 1e-300)
    packed = input.map { four in
      var relative = four
      // Removes whole revolutions: adding 1.5 * 2^52 rounds to an integer.
      let revolutions = (four.angle - center) * (0.5 / .pi) + 0x1.8p52 - 0x1.8p52
      relative.angle = four.angle - center - (2 * .pi) * revolutions
      relative.sigma = four.sigma.atLeast(1e-6)
      relative.weight = four.weight / whole
      return relative
    }
  }

  /// Probability within `halfWidth` radians of the mean, 0...1.
  package func mass(within halfWidth: Double) -> Double {
    packed.reduce(0) { $0 + $1.weight.sum() } - mass(beyond: halfWidth)
  }

  /// Probability over `halfWidth` radians away from the mean: no cancellation for small probabilities.
  package func mass(beyond halfWidth: Double) -> Double {
    packed.reduce(Lanes.zero) { sum, four in
      let below = Lanes.normalCDF(below: (-halfWidth - four.angle) / four.sigma)
      return sum + four.weight * (below + Lanes.normalCDF(below: (four.angle - halfWidth) / four.sigma))
    }.sum()
  }

  /// A quick bound: total weight of the components whose centre lies over `halfWidth` away.
  package func centers(beyond halfWidth: Double) -> Double {
    packed.reduce(0) {
      let isBeyond = ($1.angle .> halfWidth) .| ($1.angle .< -halfWidth)
      return $0 + $1.weight.replacing(with: 0, where: .!isBeyond).sum()
    }
  }

  /// The `p` quantile of the angle relative to the mean, radians, within [-pi, pi].
  ///
  /// Newton's method kept inside a shrinking bracket: a handful of passes over the components.
  package func quantile(_ p: Double) -> Double {
    var (low, high) = (-Double.pi, Double.pi)
    var x = min(max(standardDeviation * (p < 0.5 ? -1.6 : 1.6), -3), 3)
    for _ in 0..<60 {
      var (cdfs, densities) = (Lanes.zero, Lanes.zero)
      for c in packed {
        let normal = Lanes.normal(below: (x - c.angle) / c.sigma)
        cdfs += c.weight * normal.cdf
        densities += c.weight * normal.bell / c.sigma
      }
      let residual = cdfs.sum() - p
      if residual < 0 { low = x } else { high = x }
      let step = residual / (densities.sum() / (2 * Double.pi).squareRoot())
      let newton = x - step
      let isInside = newton > low && newton < high
      let next = isInside ? newton : 0.5 * (low + high)
      // Newton's next step would be about the square of this one over the width of a Gaussian.
      if abs(next - x) < (isInside ? 1e-6 : 1e-8) { return next }
      x = next
    }
    return x
  }

  /// 1-sigma about the mean, radians.
  package var standardDeviation: Double {
    packed.reduce(0) { $0 + ($1.weight * ($1.sigma * $1.sigma + $1.angle * $1.angle)).sum() }.squareRoot()
  }
}
