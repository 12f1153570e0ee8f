import Foundation
import Geometry
import Ranging

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
