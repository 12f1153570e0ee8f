import Foundation
import Geometry

/// Bayes' rule for four pairs side by side: the ways of their sights, and what they say of the link.
struct FourWays {
  /// Share of the best hypothesis' below which a way is left as it is.
  private static let negligible = 1e-8

  private let reading: SightWay.Reading
  let n: Int
  /// Shares of free sights that are lost, and of blocked ones that come back.
  private let lost, back: Double
  private let flutter, widening, extra: Double
  private(set) var stays, clears, lasts, begins: SightWay
  let offsets: UnsafeMutablePointer<Lanes>
  private var sums = Sums()

  /// Over all pairs and ways, weighted: what `RangeVerdict` says, and the weights after and before the range.
  private struct Sums {
    var innovation = Lanes.zero
    var variance = Lanes.zero
    var regular = Lanes.zero
    var total = Lanes.zero
    var before = Lanes.zero
    /// Of the group at hand: what its ranges tell of the white noise.
    var news = WhiteNoiseNews()
  }

  static func workSize(_ dimension: Int) -> Int { 10 * dimension }

  /// - Parameter work: room for `workSize` lanes.
  init(_ evidence: RangeEvidence, anchor: Vector3, dimension: Int, work: UnsafeMutablePointer<Lanes>) {
    let configuration = evidence.configuration
    reading = SightWay.Reading(evidence, anchor: anchor)
    n = dimension
    let rate = configuration.blockingRate + configuration.clearingRate
    let change = (1 - Foundation.exp(-rate * evidence.seconds)) / rate
    (lost, back) = (configuration.blockingRate * change, configuration.clearingRate * change)
    flutter = configuration.blockedNoise * configuration.blockedNoise
    extra = evidence.extraVariance
    widening = configuration.excessWalk * configuration.excessWalk * evidence.seconds
    stays = SightWay(.none, dimension: n, work: work)
    clears = SightWay(.none, dimension: n, work: work + 2 * n)
    lasts = SightWay(.kept, dimension: n, work: work + 4 * n)
    begins = SightWay(.new(ExcessPrior(configuration)), dimension: n, work: work + 6 * n)
    offsets = work + 8 * n
  }

  /// The update of one group in place.
  ///
  /// - Parameters: the cells, the logarithms of the weights of their halves and of the best of all, variances of the white noise.
  /// - Returns: a logarithm, and the halves' weights after the range relative to its exponential.
  @inline(__always)
  mutating func update(
    free: UnsafeMutablePointer<Lanes>, blocked: UnsafeMutablePointer<Lanes>, _ logFree: Lanes, _ logBlocked: Lanes,
    best: Double, white: Lanes
  ) -> (scale: Lanes, after: (free: Lanes, blocked: Lanes), news: WhiteNoiseNews) {
    let scale = logFree.replacing(with: logBlocked, where: logBlocked .> logFree)
    let pair = Lanes.exp(scale - best)
    let (wf, wb) = (Lanes.exp(logFree - scale), Lanes.exp(logBlocked - scale))
    sums.before += pair * (wf + wb)
    sums.news = WhiteNoiseNews()
    blocked[HypothesisSet.scalarsOffset + n - 2 + HypothesisSet.triangle(n) - 1] += widening
    stays.begin(free, share: wf * (1 - lost))
    clears.begin(blocked, share: wb * back)
    lasts.begin(blocked, share: wb * (1 - back))
    begins.begin(free, share: wf * lost)
    let r = white + extra
    Self.assimilate(&stays, &sums, reading, pair, r, white)
    Self.assimilate(&clears, &sums, reading, pair, r, white)
    Self.assimilate(&lasts, &sums, reading, pair, r + flutter, nil)
    Self.assimilate(&begins, &sums, reading, pair, r + flutter, nil)
    merge(free, blocked)
    let news = sums.news
    return (scale, (stays.share + clears.share, lasts.share + begins.share), news)
  }

  /// What the ranges said of the link as a whole, once all groups are through.
  var verdict: RangeVerdict {
    let (sum, all) = (sums.total.sum(), sums.before.sum())
    var verdict = RangeVerdict()
    if sum > 0 {
      verdict.innovation = sums.innovation.sum() / sum
      verdict.variance = sums.variance.sum() / sum
      verdict.regular = sums.regular.sum() / sum
    }
    verdict.logDensity = log(max(sum, 1e-300) / max(all, 1e-300))
    return verdict
  }

  /// What cannot matter is not worked out: neither within the pair nor beside the best of all.
  @inline(__always)
  private static func assimilate(
    _ way: inout SightWay, _ sums: inout Sums, _ reading: SightWay.Reading, _ pair: Lanes, _ noise: Lanes,
    _ white: Lanes?
  ) {
    let active = (way.share .> 1e-9) .& (way.share * pair .> negligible)
    guard any(active) else { return }
    let outcome = way.assimilate(reading, noiseVariance: noise, where: active)
    let posterior = (way.share * pair).replacing(with: 0, where: .!active)
    sums.innovation += posterior * outcome.innovation.replacing(with: 0, where: .!active)
    sums.variance += posterior * outcome.variance.replacing(with: 0, where: .!active)
    sums.regular += posterior * outcome.responsibility.replacing(with: 0, where: .!active)
    sums.total += posterior
    sums.news.share += posterior
    if let white { sums.news.add(outcome, white: white, share: posterior) }
  }
}
