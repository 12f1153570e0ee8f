import Foundation
import Geometry

extension HypothesisSet {
  /// Merges pairs that have become the same: same noise, and places closer than a fraction of either's own width.
  ///
  /// Neighbours of the lattice meet where the posterior is narrower than the lattice. Merging them loses nothing; what lies
  /// apart, a mirror image above all, is never merged. Cost: O(pairs^2) cheap comparisons.
  mutating func mergeDuplicates() {
    let (n, m) = (dimension, dimension - 2)
    // Of each pair, the heavier half stands for its place.
    let heads = stride(from: 0, to: count, by: 2).map { logWeight[$0] >= logWeight[$0 + 1] ? $0 : $0 + 1 }
    let order = heads.indices.sorted { (logWeight[heads[$1]], $0) < (logWeight[heads[$0]], $1) }
    var gone = [Bool](repeating: false, count: heads.count)
    let scratch = HypothesisScratch(count: 4, dimension: n)
    defer { scratch.free() }
    for (rank, a) in order.enumerated() where !gone[a] {
      let i = heads[a]
      let (u, e1, rho) = (direction[i], tangent[i], scalars[i * m])
      let e2 = u.cross(e1)
      let base = i * n * n
      let limit = Vector3(covariance[base], covariance[base + n + 1], covariance[base + 2 * n + 2]) * (0.3 * 0.3)
      for b in order[(rank + 1)...] where !gone[b] && noise[heads[b]] == noise[i] {
        let j = heads[b]
        let v = direction[j]
        let (x, y, z) = (v.dot(e1), v.dot(e2), scalars[j * m] - rho)
        guard x * x < limit.x, y * y < limit.y, z * z < limit.z, v.dot(u) > 0 else { continue }
        let other = j * n * n
        let own = Vector3(covariance[other], covariance[other + n + 1], covariance[other + 2 * n + 2]) * (0.3 * 0.3)
        guard x * x < own.x, y * y < own.y, z * z < own.z else { continue }
        absorb(pair: 2 * b, into: 2 * a, scratch)
        gone[b] = true
      }
    }
    filter { !gone[$0 / 2] }
  }

  private mutating func absorb(pair b: Int, into a: Int, _ scratch: HypothesisScratch) {
    let scale = [a, a + 1, b, b + 1].map { logWeight[$0] }.max()!
    for half in 0..<2 {
      scratch.load(2 * half, from: self, at: a + half, share: exp(logWeight[a + half] - scale))
      scratch.load(2 * half + 1, from: self, at: b + half, share: exp(logWeight[b + half] - scale))
      scratch.merge(2 * half, 2 * half + 1)
      logWeight[a + half] = scale + scratch.store(2 * half, into: &self, at: a + half)
    }
  }
}
