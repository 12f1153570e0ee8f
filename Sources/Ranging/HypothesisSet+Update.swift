import Foundation
import Geometry

extension HypothesisSet {
  /// Bayes' rule for one range, in which the sight may have been lost or come back.
  ///
  /// Every pair is tried in its four ways (free and still free, blocked and cleared, blocked and still blocked, free and
  /// just blocked); each way is weighted by how well it foretold the range and moved by an iterated Kalman update; then
  /// the two ways that end alike are merged. Merging after the evidence and not before keeps a rare way alive that foresaw
  /// a jump. Source: second-order generalised pseudo-Bayes, Bar-Shalom, Li, Kirubarajan, "Estimation with applications
  /// to tracking and navigation", 2001, 11.6.5. Each noise learns its white part from what its pairs foretold.
  ///
  /// Cost: O(count * dimension^2), no allocation per hypothesis.
  package mutating func update(_ evidence: RangeEvidence) -> RangeVerdict {
    let work = UnsafeMutablePointer<Lanes>.allocate(capacity: FourWays.workSize(dimension))
    work.initialize(repeating: .zero, count: FourWays.workSize(dimension))
    defer { work.deallocate() }
    var ways = FourWays(evidence, anchor: anchor, dimension: dimension, work: work)
    let white = noises.map(\.expectedVariance)
    var news = [WhiteNoiseNews.Sum](repeating: .init(), count: noises.count)
    let best = logWeight.max() ?? 0
    let (size, groups, noise) = (cellSize, groups, noise)
    var logWeight = self.logWeight
    self.logWeight = []
    cells.withUnsafeMutableBufferPointer { cells in
      for group in 0..<groups {
        let free = cells.baseAddress! + 2 * group * size
        // Lanes without a pair weigh nothing.
        var (wf, wb) = (Lanes(repeating: -1e300), Lanes(repeating: -1e300))
        var r = Lanes(repeating: 1)
        let lanes = min(4, (noise.count - 8 * group) / 2)
        for lane in 0..<lanes {
          let i = 8 * group + 2 * lane
          (wf[lane], wb[lane], r[lane]) = (logWeight[i], logWeight[i + 1], white[Int(noise[i])])
        }
        let (scale, after, told) = ways.update(free: free, blocked: free + size, wf, wb, best: best, white: r)
        for lane in 0..<lanes {
          let i = 8 * group + 2 * lane
          logWeight[i] = scale[lane] + log(max(after.free[lane], 1e-300))
          logWeight[i + 1] = scale[lane] + log(max(after.blocked[lane], 1e-300))
          news[Int(noise[i])].add(told, lane)
        }
      }
    }
    self.logWeight = logWeight
    for (k, told) in news.enumerated() where told.share > 0 {
      noises[k].learn(degrees: told.degrees / told.share, change: told.change / told.share)
    }
    return ways.verdict
  }

  /// What hypothesis `i` foretells of a range: the row H over its state, and the variance `H P H^T`, m^2.
  package func foretold(_ i: Int, antenna: Vector3, columns: BiasColumns) -> (row: [Double], variance: Double) {
    let n = dimension
    let work = UnsafeMutablePointer<Lanes>.allocate(capacity: 2 * n)
    work.initialize(repeating: .zero, count: 2 * n)
    defer { work.deallocate() }
    let evidence = RangeEvidence(
      range: 0, antenna: antenna, columns: columns, seconds: 0, extraVariance: 0, configuration: RangingConfiguration())
    return cells.withUnsafeBufferPointer { cells in
      var way = SightWay(i % 2 == 0 ? .none : .kept, dimension: n, work: work)
      way.begin(cells.baseAddress! + (i / 8 * 2 + i % 2) * cellSize, share: .zero)
      let (row, variance) = way.linearise(
        way.direction, way.tangent, rho: way.scalars[0], SightWay.Reading(evidence, anchor: anchor))
      let (lane, scale) = (i / 2 % 4, 1 + way.scalars[2][i / 2 % 4])
      var h = [Double](repeating: 0, count: n)
      (h[0], h[1], h[2]) = (scale * row.alpha1[lane], scale * row.alpha2[lane], scale * row.rho[lane])
      (h[layout.bias], h[layout.scale], h[columns.coloured]) = (1, row.distance[lane], 1)
      if let constant = columns.constant { h[constant] = 1 }
      h[n - 1] = i % 2 == 0 ? 0 : 1
      return (h, variance[lane])
    }
  }

  /// Weights the pairs by the radio's own guess.
  package mutating func weigh(_ guess: SightGuess) {
    let (free, blocked) = (log(guess.likelihoodFree), log(guess.likelihoodBlocked))
    for i in 0..<count { logWeight[i] += i & 1 == 0 ? free : blocked }
  }

  /// Moves a direction by two tangent angles and carries its basis along.
  package static func move(_ u: inout Vector3, _ e1: inout Vector3, _ alpha1: Double, _ alpha2: Double) {
    var (direction, tangent) = (LaneVector(repeating: u), LaneVector(repeating: e1))
    move(&direction, &tangent, Lanes(repeating: alpha1), Lanes(repeating: alpha2))
    (u, e1) = (direction[0], tangent[0])
  }

  /// The same of four.
  @inline(__always)
  static func move(_ u: inout LaneVector, _ e1: inout LaneVector, _ alpha1: Lanes, _ alpha2: Lanes) {
    let moved = (u + alpha1 * e1 + alpha2 * u.cross(e1)).normalized
    e1 = (e1 - e1.dot(moved) * moved).normalized
    u = moved
  }

  /// What the lighter of two that become one gets, where the heavier weighs 1 and it `weight`: nothing where it does not matter.
  static func lighterShare(_ weight: Double) -> Double {
    let share = weight / (1 + weight)
    return share > 1e-9 ? share : 0
  }
}
