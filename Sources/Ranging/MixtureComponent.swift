import Foundation
import Geometry

/// One hypothesis by itself, out of its set: for what is done to few.
package struct MixtureComponent {
  /// Natural logarithm of its weight.
  package var logWeight: Double
  /// Towards the peer from the set's anchor, and a tangent at it; unit vectors.
  package var direction, tangent: Vector3
  /// Index of its noise among the set's candidates.
  package var noise: Int
  /// The direction of the lattice that it comes from.
  package var node: Int
  /// `dimension - 2` numbers: rho, b, Gauss-Markov biases, antenna biases, velocity, excess.
  package var scalars: [Double]
  /// `dimension^2` numbers, row-major, symmetric.
  package var covariance: [Double]

  package init(
    logWeight: Double, direction: Vector3, tangent: Vector3, noise: Int, node: Int = 0, scalars: [Double],
    covariance: [Double]
  ) {
    self.logWeight = logWeight
    self.direction = direction
    self.tangent = tangent
    self.noise = noise
    self.node = node
    self.scalars = scalars
    self.covariance = covariance
  }

  /// Moves by an error of the whole state: the direction by its two tangent angles, everything else by sums.
  mutating func move(by step: [Double]) {
    GaussianSum.move(&direction, &tangent, step[0], step[1])
    for k in scalars.indices { scalars[k] += step[k + 2] }
    scalars[0] = max(scalars[0], GaussianSum.nearest)
  }

  /// One Gaussian with the weight, mean and covariance of both, in the tangent plane of the heavier.
  package func merged(with other: MixtureComponent) -> MixtureComponent {
    let (a, b) = other.logWeight > logWeight ? (other, self) : (self, other)
    var result = a
    let n = scalars.count + 2
    let w = GaussianSum.lighterWeight(exp(b.logWeight - a.logWeight))
    result.logWeight = a.logWeight - log(1 - w)
    let offset =
      [a.tangent.dot(b.direction), a.direction.cross(a.tangent).dot(b.direction)]
      + zip(b.scalars, a.scalars).map { $0 - $1 }
    for r in 0..<n {
      for c in 0..<n {
        result.covariance[r * n + c] +=
          w * (b.covariance[r * n + c] - a.covariance[r * n + c]) + w * (1 - w) * offset[r] * offset[c]
      }
    }
    result.move(by: offset.map { w * $0 })
    return result
  }
}
