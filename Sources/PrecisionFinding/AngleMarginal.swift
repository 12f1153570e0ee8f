import Foundation
import Geometry

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
  /// Components with their angle relative to the mean, in (-pi, pi].
  private let components: [Component]

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
    components = input.map {
      Component(
        angle: Angle.wrapped($0.angle - center), sigma: max($0.sigma, 1e-6), weight: $0.weight / max(total, 1e-300))
    }
  }

  /// Share of the posterior within `halfWidth` radians of the mean, 0...1.
  package func mass(within halfWidth: Double) -> Double {
    components.reduce(0) {
      $0 + $1.weight * (Self.cdf((halfWidth - $1.angle) / $1.sigma) - Self.cdf((-halfWidth - $1.angle) / $1.sigma))
    }
  }

  /// Share that lies over `halfWidth` radians away from the mean: no cancellation for small shares.
  package func mass(beyond halfWidth: Double) -> Double {
    components.reduce(0) {
      $0 + $1.weight * (Self.cdf((-halfWidth - $1.angle) / $1.sigma) + Self.cdf(-(halfWidth - $1.angle) / $1.sigma))
    }
  }

  /// A quick bound: share of components whose centre lies over `halfWidth` away.
  package func centers(beyond halfWidth: Double) -> Double {
    components.reduce(0) { $0 + (abs($1.angle) > halfWidth ? $1.weight : 0) }
  }

  /// The angle relative to the mean below which a share `p` lies, radians, within [-pi, pi].
  ///
  /// Newton's method kept inside a shrinking bracket: a handful of passes over the components.
  package func quantile(_ p: Double) -> Double {
    var (low, high) = (-Double.pi, Double.pi)
    var x = min(max(standardDeviation * (p < 0.5 ? -1.6 : 1.6), -3), 3)
    for _ in 0..<60 {
      var share = -p
      var density = 0.0
      for c in components {
        let z = (x - c.angle) / c.sigma
        share += c.weight * Self.cdf(z)
        density += c.weight * exp(-0.5 * z * z) / c.sigma
      }
      if share < 0 { low = x } else { high = x }
      let step = share / (density / (2 * Double.pi).squareRoot())
      let newton = x - step
      let next = newton > low && newton < high ? newton : 0.5 * (low + high)
      if abs(next - x) < 1e-9 { return next }
      x = next
    }
    return x
  }

  /// 1-sigma about the mean, radians.
  package var standardDeviation: Double {
    components.reduce(0) { $0 + $1.weight * ($1.sigma * $1.sigma + $1.angle * $1.angle) }.squareRoot()
  }

  /// The standard normal distribution function.
  package static func cdf(_ x: Double) -> Double { 0.5 * erfc(-x * 0.5.squareRoot()) }
}
