import Foundation
import Geometry

/// One range, as the hypotheses see it.
package struct RangeEvidence {
  /// Measured distance, metres.
  package var range: Double
  /// Where the antenna was, world, metres.
  package var antenna: Vector3
  /// Where that antenna's biases stand in the state.
  package var columns: BiasColumns
  /// Seconds since the range before.
  package var seconds: Double
  /// Variance beyond the link's noise, m^2.
  package var extraVariance: Double
  /// How blocked and gross ranges err.
  package var configuration: RangingConfiguration

  package init(
    range: Double, antenna: Vector3, columns: BiasColumns, seconds: Double, extraVariance: Double,
    configuration: RangingConfiguration
  ) {
    self.range = range
    self.antenna = antenna
    self.columns = columns
    self.seconds = seconds
    self.extraVariance = extraVariance
    self.configuration = configuration
  }
}

/// What a range said about the link as a whole.
package struct RangeVerdict {
  /// Mean innovation over the posterior, metres, and its variance, m^2.
  package var innovation = 0.0
  package var variance = 0.0
  /// Probability that the range was no gross error.
  package var regular = 0.0
  /// Logarithm of the density that the whole posterior foretold for the range, 1/m.
  package var logDensity = 0.0
}

extension HypothesisSet {
  /// Bayes' rule for one range, in which the sight may have been lost or come back.
  ///
  /// Every pair is tried in its four ways (free and still free, blocked and cleared, blocked and still blocked, free and
  /// just blocked); each way is weighted by how well it foretold the range and moved by an iterated Kalman update; then
  /// the two ways that end alike are merged. Merging after the evidence and not before keeps a rare way alive that foresaw
  /// a jump. Source: second-order generalised pseudo-Bayes, Bar-Shalom, Li, Kirubarajan, "Estimation with applications
  /// to tracking and navigation", 2001, 11.6.5. Cost: O(count * dimension^2), no allocation per hypothesis.
  package mutating func update(_ evidence: RangeEvidence) -> RangeVerdict {
    let configuration = evidence.configuration
    let rate = configuration.blockingRate + configuration.clearingRate
    let change = (1 - exp(-rate * evidence.seconds)) / rate
    let (lost, back) = (configuration.blockingRate * change, configuration.clearingRate * change)
    let white = noises.map { $0.white * $0.white + evidence.extraVariance }
    let flutter = configuration.blockedNoise * configuration.blockedNoise
    let best = logWeight.max() ?? 0
    var verdict = RangeVerdict()
    var total = 0.0
    var before = 0.0
    // Four ways a pair can go, in one scratch space.
    let ways = HypothesisScratch(count: 4, dimension: dimension)
    defer { ways.free() }

    for free in stride(from: 0, to: count, by: 2) {
      let blocked = free + 1
      let r = white[Int(noise[free])]
      let scale = max(logWeight[free], logWeight[blocked])
      let (wf, wb) = (exp(logWeight[free] - scale), exp(logWeight[blocked] - scale))
      let pair = exp(scale - best)
      before += pair * (wf + wb)
      ways.load(0, from: self, at: free, share: wf * (1 - lost))
      ways.load(2, from: self, at: blocked, share: wb * (1 - back))
      ways.copy(2, to: 1, share: wb * back)
      ways.setExcess(1, mean: 0, variance: 0)
      ways.widenExcess(2, by: configuration.excessWalk * configuration.excessWalk * evidence.seconds)
      ways.copy(0, to: 3, share: wf * lost)
      ways.setExcess(
        3, mean: configuration.excessMean, variance: configuration.excessSpread * configuration.excessSpread)
      // What cannot matter is not worked out: neither within the pair nor beside the best of all.
      for way in 0..<4 where ways.share[way] > 1e-9 && ways.share[way] * pair > Self.negligible {
        let noiseVariance = way < 2 ? r : r + flutter
        let outcome = ways.assimilate(way, evidence, anchor: anchor, noiseVariance: noiseVariance)
        let prior = ways.share[way] * pair
        verdict.innovation += prior * outcome.innovation
        verdict.variance += prior * outcome.variance
        verdict.regular += prior * outcome.responsibility
        total += prior
      }
      ways.merge(0, 1)
      ways.merge(2, 3)
      logWeight[free] = scale + ways.store(0, into: &self, at: free)
      logWeight[blocked] = scale + ways.store(2, into: &self, at: blocked)
    }
    if total > 0 {
      verdict.innovation /= total
      verdict.variance /= total
      verdict.regular /= total
    }
    verdict.logDensity = log(max(total, 1e-300) / max(before, 1e-300))
    return verdict
  }

  /// Share of the best hypothesis' below which a way is left as it is.
  private static let negligible = 1e-8

  /// What hypothesis `i` foretells of a range: the row H over its state, and the variance `H P H^T`, m^2.
  package func foretold(_ i: Int, antenna: Vector3, columns: BiasColumns) -> (row: [Double], variance: Double) {
    let scratch = HypothesisScratch(count: 1, dimension: dimension)
    defer { scratch.free() }
    scratch.load(0, from: self, at: i, share: 1)
    return scratch.foretold(0, anchor: anchor, antenna: antenna, columns: columns)
  }

  /// Weights the pairs by the radio's own guess (0 free ... 1 blocked), trusted as far as odds of 10 to 1.
  package mutating func weigh(radioGuess blocked: Double) {
    let p = min(max(blocked, 0), 1)
    for i in 0..<count { logWeight[i] += log(0.1 + (i & 1 == 0 ? 1 - p : p)) }
  }

  /// Moves a direction by two tangent angles and carries its basis along.
  @inline(__always)
  package static func move(_ u: inout Vector3, _ e1: inout Vector3, _ alpha1: Double, _ alpha2: Double) {
    let moved = (u + alpha1 * e1 + alpha2 * u.cross(e1)).normalized
    e1 = (e1 - e1.dot(moved) * moved).normalized
    u = moved
  }

  /// Largest bend of the range over hypothesis `i` seen from `antenna`, with the tangent axis it bends along (0 or 1), metres.
  package func bend(_ i: Int, antenna: Vector3) -> (metres: Double, axis: Int) {
    let n = dimension
    let row = RangeRow(
      direction[i], tangent[i], rho: scalars[i * (n - 2)], anchor: anchor, antenna: antenna)
    let b1 = 0.5 * abs(row.bend1) * covariance[i * n * n]
    let b2 = 0.5 * abs(row.bend2) * covariance[i * n * n + n + 1]
    return b1 >= b2 ? (b1, 0) : (b2, 1)
  }
}
