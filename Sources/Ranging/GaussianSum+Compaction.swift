import Foundation
import Geometry

extension GaussianSum {
  /// Normalises the log weights to a maximum of 0.
  mutating func relateWeightsToBest() {
    logWeight.withUnsafeMutableBufferPointer { weights in
      guard let best = weights.max() else { return }
      for i in weights.indices { weights[i] -= best }
    }
  }

  /// Drops the pairs of which neither component has a log weight of at least `floor`.
  mutating func dropPairs(below floor: Double) {
    let kept = logWeight.withUnsafeBufferPointer { weights in
      (0..<(weights.count / 2)).map { max(weights[2 * $0], weights[2 * $0 + 1]) >= floor }
    }
    if kept.contains(false) { filter { kept[$0 / 2] } }
  }

  /// Position of a pair's heavier component, for comparisons.
  private struct PairMean {
    let pair: Int
    let logWeight: Double
    let direction, tangent: Vector3
    let rho: Double
    /// Variances along the two tangents, rad^2, and the distance, m^2.
    let spread: Vector3
  }

  /// Merges pairs under one noise candidate whose means differ by less than a fraction of both standard deviations.
  ///
  /// Neighbours of the lattice converge where the posterior is narrower than the lattice. A merged pair keeps the
  /// moments of both. Separate modes, such as a reflection image, are never merged. Only pairs that are close along one
  /// axis are compared: O(pairs log(pairs)) for narrow components, O(pairs^2) otherwise.
  mutating func mergeDuplicates(noise candidate: Int) {
    let group = (0..<(count / 2)).filter { noise[2 * $0] == candidate }.map(mean)
    // Indices are sorted, because a `PairMean` is large.
    let ranks = group.indices.sorted { (group[$1].logWeight, $0) < (group[$0].logWeight, $1) }
    let order = ranks.map { group[$0] }
    let index = DirectionIndex(order.map(\.direction))
    var isRemoved = [Bool](repeating: false, count: count / 2)
    var isUnchanged = true
    var same: [Int] = []
    for (rank, a) in order.enumerated() where !isRemoved[a.pair] {
      let sine = (Self.near * (a.spread.x + a.spread.y)).squareRoot()
      same.removeAll(keepingCapacity: true)
      for later in index.candidates(near: rank, sine: sine)
      where later > rank && !isRemoved[order[later].pair] && Self.coincide(a, order[later]) { same.append(later) }
      same.sort()
      for b in same.map({ order[$0] }) {
        for half in 0..<2 { self[2 * a.pair + half] = self[2 * a.pair + half].merged(with: self[2 * b.pair + half]) }
        isRemoved[b.pair] = true
        isUnchanged = false
      }
    }
    if !isUnchanged { filter { !isRemoved[$0 / 2] } }
  }

  private func mean(ofPair pair: Int) -> PairMean {
    let i = logWeight[2 * pair] >= logWeight[2 * pair + 1] ? 2 * pair : 2 * pair + 1
    let start = 4 * covarianceOffset
    return PairMean(
      pair: pair, logWeight: logWeight[i], direction: direction(i), tangent: tangent(i), rho: rho(i),
      spread: withNumbers(of: i) { Vector3($0[start], $0[start + 8], $0[start + 20]) })
  }

  /// True when two means differ by less than 0.3 sigma of either along every axis.
  @inline(__always)
  private static func coincide(_ a: PairMean, _ b: PairMean) -> Bool {
    let x = b.direction.dot(a.tangent)
    guard x * x < near * min(a.spread.x, b.spread.x) else { return false }
    let y = b.direction.dot(a.direction.cross(a.tangent))
    guard y * y < near * min(a.spread.y, b.spread.y), b.direction.dot(a.direction) > 0 else { return false }
    let z = b.rho - a.rho
    return z * z < near * min(a.spread.z, b.spread.z)
  }
  private static let near = 0.3 * 0.3
}
