internal import CGaussianSum
import Foundation
import Geometry

extension GaussianSum {
  /// Splits pairs in which the range's curvature is too large for one Gaussian into three narrower ones each.
  ///
  /// A third of the width has a ninth of the curvature. The weights and the width of the parts (0.2252, 0.5495, 0.2252;
  /// 0.6716 sigma) are from DeMars, Bishop and Jah, JGCD 36(4), 2013, doi:10.2514/1.58987. Their offsets (1.0575 sigma)
  /// fit the density best but lose 4.5 % of the variance at each split. The offsets used here keep the mean and the
  /// covariance. The split is along the tangent with the larger curvature.
  ///
  /// - Parameter limit: of the number of components. If not all have room, those with the largest squared curvature
  ///   times weight are split first.
  package mutating func splitWhereCurved(antenna: Vector3, limit: Int) {
    var tooCurved = self.tooCurved(antenna: antenna)
    let room = max(limit - count, 0) / 4
    if tooCurved.count > room {
      tooCurved.sort { ($1.logPriority, $0.pair) < ($0.logPriority, $1.pair) }
      tooCurved.removeLast(tooCurved.count - room)
    }
    for (pair, axis, _) in tooCurved {
      // A part is a pair again: each component is split along its own regression on the axis.
      let parts = [self[pair], self[pair + 1]].map { split($0, axis: axis) }
      for side in 1...2 { for half in parts { append(half[side]) } }
      for half in 0..<2 { self[pair + half] = parts[half][0] }
    }
  }

  /// The pairs that are too wide, in order: the axis of the larger curvature, and the priority (a logarithm).
  private func tooCurved(antenna: Vector3) -> [(pair: Int, axis: Int, logPriority: Double)] {
    let best = logWeight.max() ?? 0
    let curvatures = curvatures(antenna: antenna)
    return stride(from: 0, to: count, by: 2).compactMap { pair in
      let heavier = logWeight[pair] >= logWeight[pair + 1] ? pair : pair + 1
      let curvature = curvatures[heavier]
      let sigmas = curvature.max() / noises[Int(noise[heavier])].white
      let tolerated = logWeight[heavier] > best - Self.likelyLogOdds ? Self.curvatureLimit : Self.coarseCurvatureLimit
      guard sigmas > tolerated else { return nil }
      return (pair, curvature.x >= curvature.y ? 0 : 1, logWeight[heavier] + 2 * log(sigmas))
    }
  }

  /// A component is split where the curvature over its width is more than this many 1-sigmas of its white noise. The
  /// errors of single ranges accumulate: with 0.3, intervals on a straight walk were a quarter wider than need be.
  private static let curvatureLimit = 0.1
  /// The same for components less likely than the best by `likelyLogOdds`: most of them will be pruned, and this saves
  /// a third of the work.
  private static let coarseCurvatureLimit = 0.3
  /// Log odds against the best component.
  private static let likelyLogOdds = 4.0

  /// Width of the parts and weight of the outer two, and the offset that keeps the variance: `2 w offset^2 + width^2 =
  /// 1`.
  private static let width = 0.6716
  private static let outerWeight = 0.22525
  private static let offset = ((1 - width * width) / (2 * outerWeight)).squareRoot()

  /// The middle part of a component, and the two beside it.
  private func split(_ whole: MixtureComponent, axis: Int) -> [MixtureComponent] {
    let n = dimension
    // Regression of the state on the axis, per sigma of it.
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

  /// Curvature of the range over each component's width along its two tangents, seen from `antenna`, metres.
  package func curvatures(antenna: Vector3) -> [SIMD2<Double>] {
    let from = anchor - antenna
    var curvatures = [SIMD2<Double>](repeating: .zero, count: count)
    curvatures.withUnsafeMutableBytes { curvatures in
      let numbers = curvatures.baseAddress?.assumingMemoryBound(to: Double.self)
      reading { set, _ in fuse_gaussian_sum_curvatures(set, [from.x, from.y, from.z], numbers) }
    }
    return curvatures
  }
}
