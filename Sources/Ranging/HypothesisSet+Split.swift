import Foundation
import Geometry

extension HypothesisSet {
  /// Splits pairs that are wider than the range's curvature allows into three narrower ones each.
  ///
  /// A Gaussian that spans a curved ring would foretell its edges wrongly; a third of its width bends a ninth as much. The
  /// weights and the width of the parts (0.2252, 0.5495, 0.2252; 0.6716 sigma) are from DeMars, Bishop and Jah, JGCD 36(4),
  /// 2013, doi:10.2514/1.58987; their offsets (1.0575 sigma) fit the density best but lose 4.5 % of the variance at each
  /// split, so ours are those that keep mean and covariance of the sum. The split is along the tangent axis that bends.
  package mutating func splitWhereCurved(antenna: Vector3, limit: Int) {
    let best = logWeight.max() ?? 0
    for pair in stride(from: 0, to: count, by: 2) {
      guard count + 4 <= limit else { return }
      let heavier = logWeight[pair] >= logWeight[pair + 1] ? pair : pair + 1
      let (metres, axis) = bend(heavier, antenna: antenna)
      let variance = covariance[heavier * dimension * dimension + axis * (dimension + 1)]
      let bendLimit = logWeight[heavier] > best - Self.weighty ? Self.bendLimit : Self.coarseBendLimit
      guard metres > bendLimit * noises[Int(noise[heavier])].white, variance > 1e-8 else { continue }
      // A child is a pair again: each half is split along its own regression on the axis.
      for side in [-Self.offset, Self.offset] {
        appendChild(of: pair, axis: axis, side: side)
        appendChild(of: pair + 1, axis: axis, side: side)
      }
      narrow(pair, axis: axis)
      narrow(pair + 1, axis: axis)
    }
  }

  /// A hypothesis is split where the range bends over its width by this many 1-sigmas of its white noise. What one range may err
  /// by adds up over all: split at 0.3, intervals on a straight walk were a quarter wider than need be, for nothing else.
  private static let bendLimit = 0.1
  /// The same for hypotheses that are less likely than the best by `weighty`: most of them will be refuted, and a third of the work is
  /// saved.
  private static let coarseBendLimit = 0.3
  /// Natural logarithm of the odds.
  private static let weighty = 4.0

  /// Width of the parts and weight of the outer two, and the offset that keeps the variance: `2 w offset^2 + width^2 = 1`.
  private static let width = 0.6716
  private static let outerWeight = 0.22525
  private static let offset = ((1 - width * width) / (2 * outerWeight)).squareRoot()

  /// Regression of the whole state on a tangent axis of hypothesis `i`, per sigma of the axis.
  private func regression(_ i: Int, axis: Int) -> [Double] {
    let n = dimension
    let base = i * n * n
    let sigma = max(covariance[base + axis * n + axis], 1e-12).squareRoot()
    return (0..<n).map { covariance[base + $0 * n + axis] / sigma }
  }

  private func narrowed(_ i: Int, _ column: [Double]) -> [Double] {
    let n = dimension
    let shrink = 1 - Self.width * Self.width
    var p = Array(covariance[(i * n * n)..<((i + 1) * n * n)])
    for r in 0..<n { for c in 0..<n { p[r * n + c] -= shrink * column[r] * column[c] } }
    return p
  }

  private mutating func appendChild(of i: Int, axis: Int, side: Double) {
    let m = dimension - 2
    let column = regression(i, axis: axis)
    var moved = direction[i]
    var basis = tangent[i]
    Self.move(&moved, &basis, side * column[0], side * column[1])
    var shifted = Array(scalars[(i * m)..<((i + 1) * m)])
    for k in 0..<m { shifted[k] += side * column[k + 2] }
    shifted[0] = max(shifted[0], 0.05)
    append(
      logWeight: logWeight[i] + log(Self.outerWeight), direction: moved, tangent: basis, noise: Int(noise[i]),
      node: Int(node[i]), scalars: shifted,
      covariance: narrowed(i, column))
  }

  private mutating func narrow(_ i: Int, axis: Int) {
    let p = narrowed(i, regression(i, axis: axis))
    logWeight[i] += log(1 - 2 * Self.outerWeight)
    for k in p.indices { covariance[i * p.count + k] = p[k] }
  }
}
