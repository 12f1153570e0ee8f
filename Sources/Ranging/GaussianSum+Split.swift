internal import CGaussianSum
import Foundation
import Geometry

extension GaussianSum {
  /// Splits pairs that are wider than the range's curvature allows into three narrower ones each.
  ///
  /// A Gaussian that spans a curved ring would foretell its edges wrongly; a third of its width bends a ninth as much. The
  /// weights and the width of the parts (0.2252, 0.5495, 0.2252; 0.6716 sigma) are from DeMars, Bishop and Jah, JGCD 36(4),
  /// 2013, doi:10.2514/1.58987; their offsets (1.0575 sigma) fit the density best but lose 4.5 % of the variance at each
  /// split, so ours are those that keep mean and covariance of the sum. The split is along the tangent axis that bends.
  ///
  /// - Parameter limit: of the number of hypotheses. Where not all have room, those go first whose bend does most harm: its square
  ///   times the weight.
  package mutating func splitWhereCurved(antenna: Vector3, limit: Int) {
    var bent = self.bent(antenna: antenna)
    let room = max(limit - count, 0) / 4
    if bent.count > room {
      bent.sort { ($1.logHarm, $0.pair) < ($0.logHarm, $1.pair) }
      bent.removeLast(bent.count - room)
    }
    for (pair, axis, _) in bent {
      // A child is a pair again: each half is split along its own regression on the axis.
      let parts = [self[pair], self[pair + 1]].map { split($0, axis: axis) }
      for side in 1...2 { for half in parts { append(half[side]) } }
      for half in 0..<2 { self[pair + half] = parts[half][0] }
    }
  }

  /// The pairs that are too wide, in order: the axis along which each bends, and how much it matters (a logarithm).
  private func bent(antenna: Vector3) -> [(pair: Int, axis: Int, logHarm: Double)] {
    let best = logWeight.max() ?? 0
    let bends = bends(antenna: antenna)
    return stride(from: 0, to: count, by: 2).compactMap { pair in
      let heavier = logWeight[pair] >= logWeight[pair + 1] ? pair : pair + 1
      let bend = bends[heavier]
      let sigmas = bend.max() / noises[Int(noise[heavier])].white
      let tolerated = logWeight[heavier] > best - Self.weighty ? Self.bendLimit : Self.coarseBendLimit
      guard sigmas > tolerated else { return nil }
      return (pair, bend.x >= bend.y ? 0 : 1, logWeight[heavier] + 2 * log(sigmas))
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

  /// The middle part of a hypothesis, and the two beside it.
  private func split(_ whole: MixtureComponent, axis: Int) -> [MixtureComponent] {
    let n = dimension
    // Regression of the whole state on the axis, per sigma of it.
    let sigma = max(whole.covariance[axis * (n + 1)], 1e-12).squareRoot()
    let column = (0..<n).map { whole.covariance[$0 * n + axis] / sigma }
    var part = whole
    let shrink = 1 - Self.width * Self.width
    for r in 0..<n { for c in 0..<n { part.covariance[r * n + c] -= shrink * column[r] * column[c] } }
    var (middle, sides) = (part, [part, part])
    middle.logWeight += log(1 - 2 * Self.outerWeight)
    for (k, offset) in [-Self.offset, Self.offset].enumerated() {
      sides[k].logWeight += log(Self.outerWeight)
      sides[k].move(by: column.map { offset * $0 })
    }
    return [middle] + sides
  }

  /// Bends of the range over each hypothesis along its two tangents, seen from `antenna`, metres.
  package func bends(antenna: Vector3) -> [SIMD2<Double>] {
    let from = anchor - antenna
    var bends = [SIMD2<Double>](repeating: .zero, count: count)
    bends.withUnsafeMutableBytes { bends in
      let numbers = bends.baseAddress?.assumingMemoryBound(to: Double.self)
      reading { set, _ in fuse_gaussian_sum_curvatures(set, [from.x, from.y, from.z], numbers) }
    }
    return bends
  }
}
