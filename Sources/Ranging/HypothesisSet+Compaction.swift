import Foundation
import Geometry

extension HypothesisSet {
  /// Merges pairs that have become the same: same noise, and places closer than a fraction of either's own width.
  ///
  /// Neighbours of the lattice meet where the posterior is narrower than the lattice. A merged pair keeps mean and covariance
  /// of both; what lies apart, a mirror image above all, is never merged. Cost: O(pairs^2) cheap comparisons.
  mutating func mergeDuplicates() {
    var gone = [Bool](repeating: false, count: count / 2)
    let scratch = HypothesisScratch(count: 4, dimension: dimension)
    defer { scratch.free() }
    // Of each pair, the heavier half stands for its place.
    let heads = stride(from: 0, to: count, by: 2).map { logWeight[$0] >= logWeight[$0 + 1] ? $0 : $0 + 1 }
    for candidate in noises.indices {
      let group = heads.indices.filter { Int(noise[heads[$0]]) == candidate }
      let order = group.sorted { (logWeight[heads[$1]], $0) < (logWeight[heads[$0]], $1) }
      for (rank, a) in order.enumerated() where !gone[a] {
        let i = heads[a]
        for b in order[(rank + 1)...] where !gone[b] && coincide(i, heads[b]) {
          absorb(pair: 2 * b, into: 2 * a, scratch)
          gone[b] = true
        }
      }
    }
    filter { !gone[$0 / 2] }
  }

  /// True when the places of two hypotheses differ by less than 0.3 sigma of either along every axis.
  @inline(__always)
  private func coincide(_ i: Int, _ j: Int) -> Bool {
    let (n, m) = (dimension, dimension - 2)
    let v = direction[j]
    let x = v.dot(tangent[i])
    let (a, b) = (i * n * n, j * n * n)
    guard x * x < Self.near * min(covariance[a], covariance[b]) else { return false }
    let y = v.dot(direction[i].cross(tangent[i]))
    guard y * y < Self.near * min(covariance[a + n + 1], covariance[b + n + 1]), v.dot(direction[i]) > 0 else {
      return false
    }
    let z = scalars[j * m] - scalars[i * m]
    return z * z < Self.near * min(covariance[a + 2 * n + 2], covariance[b + 2 * n + 2])
  }
  private static let near = 0.3 * 0.3

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
