import Foundation
import Geometry

extension GaussianSum {
  /// Makes the heaviest weigh 1.
  mutating func relateWeightsToBest() {
    logWeight.withUnsafeMutableBufferPointer { weights in
      guard let best = weights.max() else { return }
      for i in weights.indices { weights[i] -= best }
    }
  }

  /// Gives up the pairs of which neither half weighs as much as `floor`, a logarithm.
  mutating func dropPairs(below floor: Double) {
    let kept = logWeight.withUnsafeBufferPointer { weights in
      (0..<(weights.count / 2)).map { max(weights[2 * $0], weights[2 * $0 + 1]) >= floor }
    }
    if kept.contains(false) { filter { kept[$0 / 2] } }
  }

  /// Where a pair's heavier half is, for comparisons.
  private struct Place {
    let pair: Int
    let logWeight: Double
    let direction, tangent: Vector3
    let rho: Double
    /// Variances along the tangents and the ray.
    let spread: Vector3
  }

  /// Merges pairs under one noise that have become the same: places closer than a fraction of either's own width.
  ///
  /// Neighbours of the lattice meet where the posterior is narrower than the lattice. A merged pair keeps mean and covariance
  /// of both; what lies apart, a mirror image above all, is never merged. Only those whose directions are about as far along one axis are
  /// compared: O(pairs log(pairs)) where they are narrow against what they cover, O(pairs^2) where they are not.
  mutating func mergeDuplicates(noise candidate: Int) {
    let group = (0..<(count / 2)).filter { noise[2 * $0] == candidate }.map(place)
    // Numbers are sorted, not places: those are large.
    let ranks = group.indices.sorted { (group[$1].logWeight, $0) < (group[$0].logWeight, $1) }
    let order = ranks.map { group[$0] }
    let index = DirectionIndex(order.map(\.direction))
    var gone = [Bool](repeating: false, count: count / 2)
    var isSame = true
    var same: [Int] = []
    for (rank, a) in order.enumerated() where !gone[a.pair] {
      let sine = (Self.near * (a.spread.x + a.spread.y)).squareRoot()
      same.removeAll(keepingCapacity: true)
      for later in index.candidates(near: rank, sine: sine)
      where later > rank && !gone[order[later].pair] && Self.coincide(a, order[later]) { same.append(later) }
      same.sort()
      for b in same.map({ order[$0] }) {
        for half in 0..<2 { self[2 * a.pair + half] = self[2 * a.pair + half].merged(with: self[2 * b.pair + half]) }
        gone[b.pair] = true
        isSame = false
      }
    }
    if !isSame { filter { !gone[$0 / 2] } }
  }

  private func place(ofPair pair: Int) -> Place {
    let i = logWeight[2 * pair] >= logWeight[2 * pair + 1] ? 2 * pair : 2 * pair + 1
    let start = 4 * covarianceOffset
    return Place(
      pair: pair, logWeight: logWeight[i], direction: direction(i), tangent: tangent(i), rho: rho(i),
      spread: withNumbers(of: i) { Vector3($0[start], $0[start + 8], $0[start + 20]) })
  }

  /// True when two places differ by less than 0.3 sigma of either along every axis.
  @inline(__always)
  private static func coincide(_ a: Place, _ b: Place) -> Bool {
    let x = b.direction.dot(a.tangent)
    guard x * x < near * min(a.spread.x, b.spread.x) else { return false }
    let y = b.direction.dot(a.direction.cross(a.tangent))
    guard y * y < near * min(a.spread.y, b.spread.y), b.direction.dot(a.direction) > 0 else { return false }
    let z = b.rho - a.rho
    return z * z < near * min(a.spread.z, b.spread.z)
  }
  private static let near = 0.3 * 0.3
}
