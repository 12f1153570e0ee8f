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

  /// Circular mean of the whole, radians.
  package let mean: Double
  /// Four components side by side: angles relative to the mean, in (-pi, pi], 1-sigmas and shares; those that fill up have no share.
  private struct Four {
    var angle = Lanes.zero, sigma = Lanes(repeating: 1), weight = Lanes.zero
  }
  private let fours: [Four]

  /// A marginal; the weights need not sum to 1. Empty input has mean 0 and no mass.
  package init(_ input: [Component]) {
    let total = input.reduce(0) { $0 + $1.weight }
    var sum = SIMD2<Double>.zero
    for c in input {
      // E[exp(i angle)] of a Gaussian shrinks by exp(-sigma^2/2).
      sum += c.weight * exp(-0.5 * c.sigma * c.sigma) * SIMD2(cos(c.angle), sin(c.angle))
    }
    let center = sum == .zero ? 0 : atan2(sum.y, sum.x)
    mean = center
    var fours = [Four](repeating: Four(), count: (input.count + 3) / 4)
    for (k, c) in input.enumerated() {
      fours[k / 4].angle[k % 4] = Angle.wrapped(c.angle - center)
      fours[k / 4].sigma[k % 4] = max(c.sigma, 1e-6)
      fours[k / 4].weight[k % 4] = c.weight / max(total, 1e-300)
    }
    self.fours = fours
  }

  /// Share of the posterior within `halfWidth` radians of the mean, 0...1.
  package func mass(within halfWidth: Double) -> Double {
    sum(of: halfWidth) { below, above in 1 - Self.cdf(below) - Self.cdf(above) }
  }

  /// Share that lies over `halfWidth` radians away from the mean: no cancellation for small shares.
  package func mass(beyond halfWidth: Double) -> Double {
    sum(of: halfWidth) { below, above in Self.cdf(below) + Self.cdf(above) }
  }

  /// Over all components, of how many of its sigmas the ends of an interval are beyond the component's angle, either way.
  private func sum(of halfWidth: Double, _ share: (Double, Double) -> Double) -> Double {
    fours.reduce(0) { sum, four in
      let (below, above) = ((-halfWidth - four.angle) / four.sigma, (four.angle - halfWidth) / four.sigma)
      return (0..<4).reduce(sum) { $0 + four.weight[$1] * share(below[$1], above[$1]) }
    }
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
        let z = (x - c.angle) / c.sigma
        shares += c.weight * Lanes.normalShare(below: z)
        densities += c.weight * Lanes.exp(-0.5 * z * z) / c.sigma
      }
      let share = shares.sum() - p
      if share < 0 { low = x } else { high = x }
      let step = share / (densities.sum() / (2 * Double.pi).squareRoot())
      let newton = x - step
      let next = newton > low && newton < high ? newton : 0.5 * (low + high)
      if abs(next - x) < 1e-8 { return next }
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
