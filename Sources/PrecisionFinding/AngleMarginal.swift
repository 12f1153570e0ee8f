import Foundation
import Geometry
import Ranging

/// The marginal posterior of an angle as a sum of Gaussians on the circle.
package struct AngleMarginal {
  /// One Gaussian: its angle (radians, any turn), 1-sigma and share.
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

  /// Four of them side by side.
  package struct Four {
    package var angle = Lanes.zero, sigma = Lanes(repeating: 1), weight = Lanes.zero
    /// Cosine and sine of the angle.
    package var axis = (cosine: Lanes(repeating: 1), sine: Lanes.zero)
  }

  /// Circular mean of the whole, radians.
  package let mean: Double
  /// With angles relative to the mean, in (-pi, pi]; shares sum to 1.
  private let fours: [Four]

  /// A marginal; the weights need not sum to 1. Empty input has mean 0 and no mass.
  package init(_ input: [Component]) {
    var fours = [Four](repeating: Four(), count: (input.count + 3) / 4)
    for (k, c) in input.enumerated() {
      fours[k / 4].angle[k % 4] = c.angle
      fours[k / 4].sigma[k % 4] = c.sigma
      fours[k / 4].weight[k % 4] = c.weight
      (fours[k / 4].axis.cosine[k % 4], fours[k / 4].axis.sine[k % 4]) = (cos(c.angle), sin(c.angle))
    }
    self.init(fours: fours)
  }

  /// The same of components by fours.
  package init(fours input: [Four]) {
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
    fours = input.map { four in
      var relative = four
      // Whole turns off: adding 1.5 * 2^52 rounds to a whole number.
      let turns = (four.angle - center) * (0.5 / .pi) + 0x1.8p52 - 0x1.8p52
      relative.angle = four.angle - center - (2 * .pi) * turns
      relative.sigma = four.sigma.atLeast(1e-6)
      relative.weight = four.weight / whole
      return relative
    }
  }

  /// Share of the posterior within `halfWidth` radians of the mean, 0...1.
  package func mass(within halfWidth: Double) -> Double {
    fours.reduce(0) { $0 + $1.weight.sum() } - mass(beyond: halfWidth)
  }

  /// Share that lies over `halfWidth` radians away from the mean: no cancellation for small shares.
  package func mass(beyond halfWidth: Double) -> Double {
    fours.reduce(Lanes.zero) { sum, four in
      let below = Lanes.normalTail(below: (-halfWidth - four.angle) / four.sigma)
      return sum + four.weight * (below + Lanes.normalTail(below: (four.angle - halfWidth) / four.sigma))
    }.sum()
  }

  /// A quick bound: share of components whose centre lies over `halfWidth` away.
  package func centers(beyond halfWidth: Double) -> Double {
    fours.reduce(0) {
      let isBeyond = ($1.angle .> halfWidth) .| ($1.angle .< -halfWidth)
      return $0 + $1.weight.replacing(with: 0, where: .!isBeyond).sum()
    }
  }

  /// The angle relative to the mean below which a share `p` lies, radians, within [-pi, pi].
  ///
  /// Newton's method kept inside a shrinking bracket: a handful of passes over the components.
  package func quantile(_ p: Double) -> Double {
    var (low, high) = (-Double.pi, Double.pi)
    var x = min(max(standardDeviation * (p < 0.5 ? -1.6 : 1.6), -3), 3)
    for _ in 0..<60 {
      var (shares, densities) = (Lanes.zero, Lanes.zero)
      for c in fours {
        let normal = Lanes.normal(below: (x - c.angle) / c.sigma)
        shares += c.weight * normal.share
        densities += c.weight * normal.bell / c.sigma
      }
      let share = shares.sum() - p
      if share < 0 { low = x } else { high = x }
      let step = share / (densities.sum() / (2 * Double.pi).squareRoot())
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
    fours.reduce(0) { $0 + ($1.weight * ($1.sigma * $1.sigma + $1.angle * $1.angle)).sum() }.squareRoot()
  }

  /// The standard normal distribution function; what is below 1e-16 is nothing.
  package static func cdf(_ x: Double) -> Double {
    abs(x) < 8.2 ? 0.5 * erfc(-x * 0.5.squareRoot()) : x > 0 ? 1 : 0
  }
}
