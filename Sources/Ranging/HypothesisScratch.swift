import Foundation
import Geometry

/// A few hypotheses in working memory: loaded from the arrays, updated, merged, stored back. Allocated once per range.
///
/// Rows of covariances are padded to whole vectors of four; what is beyond the state's size stays zero.
struct HypothesisScratch {
  /// Shares of the slots, 0...1, within their pair; updates multiply them by likelihoods.
  let share: UnsafeMutablePointer<Double>
  let n: Int
  /// Vectors in a row.
  let width: Int
  let direction: UnsafeMutablePointer<Vector3>
  let tangent: UnsafeMutablePointer<Vector3>
  let scalars: UnsafeMutablePointer<Double>
  let covariance: UnsafeMutablePointer<SIMD4<Double>>
  /// The row H and the column `P H^T` of the slot at work.
  let h: UnsafeMutablePointer<SIMD4<Double>>
  let ph: UnsafeMutablePointer<SIMD4<Double>>

  init(count: Int, dimension: Int) {
    n = dimension
    width = (dimension + 3) / 4
    share = .allocate(capacity: count)
    direction = .allocate(capacity: count)
    tangent = .allocate(capacity: count)
    scalars = .allocate(capacity: count * (dimension - 2))
    covariance = .allocate(capacity: count * dimension * width)
    h = .allocate(capacity: width)
    ph = .allocate(capacity: width)
    share.initialize(repeating: 0, count: count)
    direction.initialize(repeating: .zero, count: count)
    tangent.initialize(repeating: .zero, count: count)
    scalars.initialize(repeating: 0, count: count * (dimension - 2))
    covariance.initialize(repeating: .zero, count: count * dimension * width)
    h.initialize(repeating: .zero, count: width)
    ph.initialize(repeating: .zero, count: width)
  }

  func free() {
    share.deallocate()
    direction.deallocate()
    tangent.deallocate()
    scalars.deallocate()
    covariance.deallocate()
    h.deallocate()
    ph.deallocate()
  }

  /// The numbers of vectors one by one.
  @inline(__always)
  func numbers(_ vectors: UnsafeMutablePointer<SIMD4<Double>>) -> UnsafeMutablePointer<Double> {
    UnsafeMutableRawPointer(vectors).assumingMemoryBound(to: Double.self)
  }

  /// Row `r` of the covariance of a slot.
  @inline(__always)
  func row(_ slot: Int, _ r: Int) -> UnsafeMutablePointer<SIMD4<Double>> { covariance + (slot * n + r) * width }

  func load(_ slot: Int, from set: borrowing HypothesisSet, at i: Int, share: Double) {
    self.share[slot] = share
    direction[slot] = set.direction[i]
    tangent[slot] = set.tangent[i]
    let m = n - 2
    set.scalars.withUnsafeBufferPointer { source in
      for k in 0..<m { scalars[slot * m + k] = source[i * m + k] }
    }
    set.covariance.withUnsafeBufferPointer { source in
      for r in 0..<n {
        let (to, from) = (numbers(row(slot, r)), source.baseAddress! + (i * n + r) * n)
        for k in 0..<n { to[k] = from[k] }
      }
    }
  }

  /// Copies one slot to another, with another share.
  func copy(_ slot: Int, to other: Int, share: Double) {
    self.share[other] = share
    direction[other] = direction[slot]
    tangent[other] = tangent[slot]
    for k in 0..<(n - 2) { scalars[other * (n - 2) + k] = scalars[slot * (n - 2) + k] }
    for k in 0..<(n * width) { row(other, 0)[k] = row(slot, 0)[k] }
  }

  /// Writes a slot back and returns the logarithm of its share.
  func store(_ slot: Int, into set: inout HypothesisSet, at i: Int) -> Double {
    set.direction[i] = direction[slot]
    set.tangent[i] = tangent[slot]
    let m = n - 2
    set.scalars.withUnsafeMutableBufferPointer { to in
      for k in 0..<m { to[i * m + k] = scalars[slot * m + k] }
    }
    set.covariance.withUnsafeMutableBufferPointer { target in
      for r in 0..<n {
        let (from, to) = (numbers(row(slot, r)), target.baseAddress! + (i * n + r) * n)
        for k in 0..<n { to[k] = from[k] }
      }
    }
    return log(max(share[slot], 1e-300))
  }

  /// Sets the excess apart from everything else, with a new mean (metres) and variance.
  func setExcess(_ slot: Int, mean: Double, variance: Double) {
    for k in 0..<width { row(slot, n - 1)[k] = .zero }
    for r in 0..<n { numbers(row(slot, r))[n - 1] = 0 }
    numbers(row(slot, n - 1))[n - 1] = variance
    scalars[slot * (n - 2) + n - 3] = mean
  }

  func widenExcess(_ slot: Int, by variance: Double) { numbers(row(slot, n - 1))[n - 1] += variance }

  /// Probability that the excess is positive; 1 for a free sight.
  func positiveExcess(_ slot: Int) -> Double {
    CutNormal(mean: scalars[slot * (n - 2) + n - 3], variance: numbers(row(slot, n - 1))[n - 1]).share
  }
}
