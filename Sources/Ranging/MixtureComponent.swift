import Foundation
import Geometry

/// One component of a `GaussianSum` by itself.
package struct MixtureComponent {
  /// Natural logarithm of its weight.
  package var logWeight: Double
  /// Direction from the anchor to the peer, and a tangent at it; unit vectors.
  package var direction, tangent: Vector3
  /// Index of its noise candidate.
  package var noise: Int
  /// Lattice direction from which it was spawned.
  package var latticeDirection: Int
  /// `dimension - 2` numbers: rho, then the biases as in `LinkLayout`.
  package var scalars: [Double]
  /// `dimension^2` numbers, row-major, symmetric.
  package var covariance: [Double]

  package init(
    logWeight: Double, direction: Vector3, tangent: Vector3, noise: Int, latticeDirection: Int = 0, scalars: [Double],
    covariance: [Double]
  ) {
    self.logWeight = logWeight
    self.direction = direction
    self.tangent = tangent
    self.noise = noise
    self.latticeDirection = latticeDirection
    self.scalars = scalars
    self.covariance = covariance
  }

  /// Adds an error state: the direction by its two tangent angles, everything else by sums.
  mutating func move(by step: [Double]) {
    GaussianSum.move(&direction, &tangent, step[0], step[1])
    for k in scalars.indices { scalars[k] += step[k + 2] }
    scalars[0] = max(scalars[0], GaussianSum.nearest)
  }

  /// Moment-matched merge of two components, in the tangent plane of the heavier one.
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
