import Estimator
import Foundation
import Geometry
import Ranging

/// Watches whether a peer that is taken to stand has begun to walk, or has walked and stands elsewhere, or whether one that is taken
/// to walk has stopped.
///
/// Beside the belief stands its rival, which is the same belief but for that. Both foretell every range; as long as nothing speaks for
/// the rival it begins anew from the belief, so that its walk begins where the evidence does (Page's test, see
/// `CUSUMTest`). Not so while no direction is known: a walk passes for geometry then, the belief may be wrong from its beginning,
/// and a rival that began from it would be wrong as well. That one has heard every range.
///
/// Beside a rival that isMoving stands, from the moment at which something speaks for it, the same rival come to
/// rest, which begins anew as long as to walk on explains the ranges better: a short walk is over before it has been noticed.
/// A rival that wins takes over with all it knows: the peer is followed, not searched for.
///
/// A change of the ranges has one more explanation when the peer stands: the radio errs more from now on (`withLargerNoise`). What surrounds device and
/// peer makes a radio err by centimetres here and by decimetres a step further, and a link's noise is learnt where its search began. A walk must
/// outdo both.
package struct MotionAlternatives {
  /// How often a rival for which nothing speaks begins anew, seconds.
  private static let renewal = 0.3
  /// A rival needs no more hypotheses than this: it is about one place and lives for seconds, or is to foretell ranges and not to find anything.
  private static let hypothesisLimit = 200

  /// What part of the logarithm of the odds at which a moving rival takes over makes it as likely as not; the rest is reserve. What
  /// is believed of a radio's errors is wrong at times, and to be unsure costs less than to follow a peer that stands.
  private static let even = 0.5

  /// Odds at which a radio is taken to err more: as height classes are named.
  private static let noiseIncreasePromotionOdds = 19.0

  /// Logarithms of the odds; `prior`, of a walk that goes on when the search begins, against those of one that begins within a renewal.
  private let limit, restLimit, noiseIncreaseLogOdds, prior: Double
  private var candidate: AlternativeModel?
  /// What spoke for it when it began.
  private var start = 0.0
  private var watch: CUSUMTest
  private var age = 0.0
  /// The peer has walked and stands elsewhere: nil while nothing speaks for it. Its evidence is that of the walk, less what it costs that the
  /// walk has ended, and what has come since.
  private var rested: AlternativeModel?
  /// Nobody isMoving and the radio errs more; nil beside a belief that isMoving, or whose radio cannot be any withLargerNoise.
  private var withLargerNoise: AlternativeModel?

  /// - Parameters:
  ///   - limit: logarithm of the odds at which the rival takes over.
  ///   - restLimit: logarithm of the odds against the walk's end within a renewal.
  ///   - noiseIncreaseLogOdds: logarithm of the odds against a radio that begins to err more within a renewal.
  ///   - share: probability that a peer isMoving when the search for it begins, 0..<1.
  package init(limit: Double, restLimit: Double, noiseIncreaseLogOdds: Double, share: Double = 0) {
    (self.limit, self.restLimit, self.noiseIncreaseLogOdds) = (limit, restLimit, noiseIncreaseLogOdds)
    prior = max(limit * Self.even + log(share / (1 - share)), 0)
    watch = CUSUMTest(limit: limit)
  }

  /// Whether it has to be reckoned with since before the belief had a direction.
  package var isOpen: Bool { start > 0 && watch.evidence > 0 }

  /// The rival that is likelier, free to grow; nil where there is none.
  package var posterior: PeerFilter? {
    let isOver = rested.map { $0.evidence > watch.evidence } ?? false
    return (isOver ? rested : candidate)?.posterior.limited(to: nil)
  }

  /// Probability that the rival is right, 0...1.
  package var probability: Double { movingOdds.isFinite ? movingOdds / (1 + movingOdds + noiseIncreaseOdds) : 1 }
  /// What speaks for the likelier one, natural logarithm of the odds.
  package var evidence: Double { candidate == nil ? 0 : max(watch.evidence, rested?.evidence ?? 0) }

  /// What may be true instead of the belief, and the odds of each against it.
  package var alternatives: [(posterior: PeerFilter, odds: Double)] {
    movingAlternatives + (withLargerNoise.map { [($0.posterior, noiseIncreaseOdds)] } ?? [])
  }

  private var movingAlternatives: [(posterior: PeerFilter, odds: Double)] {
    guard let candidate else { return [] }
    let even = limit * (candidate.posterior.isMoving ? Self.even : 1)
    let rested = rested.map { [($0.posterior, exp($0.evidence - even))] } ?? []
    return [(candidate.posterior, exp(watch.evidence - even))] + rested
  }

  private var movingOdds: Double { movingAlternatives.reduce(0) { $0 + $1.odds } }
  private var noiseIncreaseOdds: Double { withLargerNoise.map { exp($0.evidence - noiseIncreaseLogOdds) } ?? 0 }

  /// What has won.
  package enum Verdict { case belief, rival, largerNoise }

  /// Weighs the rivals against the belief by how well each logPredictiveDensity a range, and says which is to take over.
  ///
  /// - Parameters:
  ///   - logPredictiveDensity: logarithm of the belief's density; nil where it logPredictiveDensity nothing.
  ///   - lost: what the trajectory lost since the range before.
  package mutating func weigh(
    _ range: PeerFilter.Range, logPredictiveDensity: Double?, lost: AccumulatedDrift, seconds: Double
  ) -> Verdict {
    guard candidate != nil else { return .belief }
    age += seconds
    _ = watch.note(belief: logPredictiveDensity, alone: candidate!.take(range, lost: lost), seconds: seconds)
    rested?.weigh(range, logPredictiveDensity: logPredictiveDensity, lost: lost, seconds: seconds)
    withLargerNoise?.weigh(range, logPredictiveDensity: logPredictiveDensity, lost: lost, seconds: seconds)
    if let evidence = rested?.evidence, evidence <= 0 { rested = nil }
    // The rival must outdo belief and withLargerNoise radio together.
    if evidence - log1p(noiseIncreaseOdds) > limit { return .rival }
    return noiseIncreaseOdds > Self.noiseIncreasePromotionOdds * max(1, movingOdds) ? .largerNoise : .belief
  }

  /// Begins anew from a belief, where nothing speaks for the rival and the time has come.
  ///
  /// - Parameter isDirectionKnown: whether the belief has one direction.
  package mutating func renew(from belief: @autoclosure () -> PeerFilter?, isDirectionKnown: Bool = true) {
    let over = watch.evidence - restLimit
    if let walk = candidate?.posterior, walk.isMoving, over > rested?.evidence ?? start,
      rested?.age ?? .infinity >= Self.renewal
    {
      rested = AlternativeModel(walk.stationary.limited(to: Self.hypothesisLimit), evidence: over)
    }
    let isDue = candidate == nil || (isDirectionKnown && watch.evidence == 0 && age >= Self.renewal)
    // Of a radio that errs more nothing is heard while there are many directions: it would cost as much as the belief.
    guard isDue || (isOpen && isDirectionKnown && withLargerNoise == nil) else { return }
    let belief = belief()
    let listens = isDirectionKnown && belief?.isMoving == false
    withLargerNoise = listens ? belief?.withLargerNoise.map { AlternativeModel($0.limited(to: Self.hypothesisLimit)) } : nil
    guard isDue else { return }
    let isSearch = belief?.isMoving == false && !isDirectionKnown
    candidate = belief.map {
      AlternativeModel(
        ($0.isMoving ? $0.stationary : isSearch ? $0.movingCoarse : $0.moving).limited(to: Self.hypothesisLimit))
    }
    begin(with: isSearch ? prior : 0)
  }

  /// A belief that walked has been given up for one that stands and has no direction: it becomes the rival, as likely as not.
  package mutating func seedFrom(with walk: PeerFilter) {
    candidate = AlternativeModel(walk.limited(to: Self.hypothesisLimit))
    begin(with: limit * Self.even)
  }

  private mutating func begin(with evidence: Double) {
    start = evidence
    watch.reset(to: evidence)
    age = 0
  }

  /// Nothing is to be compared for now.
  package mutating func dismiss() {
    candidate = nil
    rested = nil
    withLargerNoise = nil
    watch.reset()
  }
}
