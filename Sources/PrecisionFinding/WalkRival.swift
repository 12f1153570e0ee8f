import Estimator
import Foundation
import Geometry
import Ranging

/// Watches whether a peer that is taken to stand has begun to walk, or has walked and stands elsewhere, or whether one that is taken
/// to walk has stopped.
///
/// Beside the belief stands its rival, which is the same belief but for that. Both foretell every range; as long as nothing speaks for
/// the rival it begins anew from the belief, so that its walk begins where the evidence does (Page's test, see
/// `ContradictionWatch`). Not so while no direction is known: a walk passes for geometry then, the belief may be wrong from its beginning,
/// and a rival that began from it would be wrong as well. That one has heard every range.
///
/// Beside a rival that walks stands, from the moment at which something speaks for it, the same rival come to
/// rest, which begins anew as long as to walk on explains the ranges better: a short walk is over before it has been noticed.
/// A rival that wins takes over with all it knows: the peer is followed, not searched for.
///
/// A change of the ranges has one more explanation when the peer stands: the radio errs more from now on (`louder`). What surrounds device and
/// peer makes a radio err by centimetres here and by decimetres a step further, and a link's noise is learnt where its search began. A walk must
/// outdo both.
package struct WalkRival {
  /// How often a rival for which nothing speaks begins anew, seconds.
  private static let renewal = 0.3
  /// A rival needs no more hypotheses than this: it is about one place and lives for seconds, or is to foretell ranges and not to find anything.
  private static let hypothesisLimit = 200

  /// What part of the logarithm of the odds at which a walking rival takes over makes it as likely as not; the rest is reserve. What
  /// is believed of a radio's errors is wrong at times, and to be unsure costs less than to follow a peer that stands.
  private static let even = 0.5

  /// Odds at which a radio is taken to err more: as height classes are named.
  private static let loudEnough = 19.0

  /// Logarithms of the odds; `prior`, of a walk that goes on when the search begins, against those of one that begins within a renewal.
  private let limit, restLimit, loudLimit, prior: Double
  private var candidate: Contender?
  /// What spoke for it when it began.
  private var start = 0.0
  private var watch: ContradictionWatch
  private var age = 0.0
  /// The peer has walked and stands elsewhere: nil while nothing speaks for it. Its evidence is that of the walk, less what it costs that the
  /// walk has ended, and what has come since.
  private var rested: Contender?
  /// Nobody walks and the radio errs more; nil beside a belief that walks, or whose radio cannot be any louder.
  private var louder: Contender?

  /// - Parameters:
  ///   - limit: logarithm of the odds at which the rival takes over.
  ///   - restLimit: logarithm of the odds against the walk's end within a renewal.
  ///   - loudLimit: logarithm of the odds against a radio that begins to err more within a renewal.
  ///   - share: probability that a peer walks when the search for it begins, 0..<1.
  package init(limit: Double, restLimit: Double, loudLimit: Double, share: Double = 0) {
    (self.limit, self.restLimit, self.loudLimit) = (limit, restLimit, loudLimit)
    prior = max(limit * Self.even + log(share / (1 - share)), 0)
    watch = ContradictionWatch(limit: limit)
  }

  /// Whether it has to be reckoned with since before the belief had a direction.
  package var isOpen: Bool { start > 0 && watch.evidence > 0 }

  /// The rival that is likelier, free to grow; nil where there is none.
  package var posterior: PeerPosterior? {
    let isOver = rested.map { $0.evidence > watch.evidence } ?? false
    return (isOver ? rested : candidate)?.posterior.limited(to: nil)
  }

  /// Probability that the rival is right, 0...1.
  package var probability: Double { walkOdds.isFinite ? walkOdds / (1 + walkOdds + loudOdds) : 1 }
  /// What speaks for the likelier one, natural logarithm of the odds.
  package var evidence: Double { candidate == nil ? 0 : max(watch.evidence, rested?.evidence ?? 0) }

  /// What may be true instead of the belief, and the odds of each against it.
  package var alternatives: [(posterior: PeerPosterior, odds: Double)] {
    walks + (louder.map { [($0.posterior, loudOdds)] } ?? [])
  }

  private var walks: [(posterior: PeerPosterior, odds: Double)] {
    guard let candidate else { return [] }
    let even = limit * (candidate.posterior.walks ? Self.even : 1)
    let rested = rested.map { [($0.posterior, exp($0.evidence - even))] } ?? []
    return [(candidate.posterior, exp(watch.evidence - even))] + rested
  }

  private var walkOdds: Double { walks.reduce(0) { $0 + $1.odds } }
  private var loudOdds: Double { louder.map { exp($0.evidence - loudLimit) } ?? 0 }

  /// What has won.
  package enum Verdict { case belief, rival, louderRadio }

  /// Weighs the rivals against the belief by how well each foretold a range, and says which is to take over.
  ///
  /// - Parameters:
  ///   - foretold: logarithm of the belief's density; nil where it foretold nothing.
  ///   - lost: what the trajectory lost since the range before.
  package mutating func weigh(
    _ range: PeerPosterior.Range, foretold: Double?, lost: AccumulatedDrift, seconds: Double
  ) -> Verdict {
    guard candidate != nil else { return .belief }
    age += seconds
    _ = watch.note(belief: foretold, alone: candidate!.take(range, lost: lost), seconds: seconds)
    rested?.weigh(range, foretold: foretold, lost: lost, seconds: seconds)
    louder?.weigh(range, foretold: foretold, lost: lost, seconds: seconds)
    if let evidence = rested?.evidence, evidence <= 0 { rested = nil }
    // The rival must outdo belief and louder radio together.
    if evidence - log1p(loudOdds) > limit { return .rival }
    return loudOdds > Self.loudEnough * max(1, walkOdds) ? .louderRadio : .belief
  }

  /// Begins anew from a belief, where nothing speaks for the rival and the time has come.
  ///
  /// - Parameter isPlaceKnown: whether the belief has one direction.
  package mutating func renew(from belief: @autoclosure () -> PeerPosterior?, isPlaceKnown: Bool = true) {
    let over = watch.evidence - restLimit
    if let walk = candidate?.posterior, walk.walks, over > rested?.evidence ?? start,
      rested?.age ?? .infinity >= Self.renewal
    {
      rested = Contender(walk.standing.limited(to: Self.hypothesisLimit), evidence: over)
    }
    let isDue = candidate == nil || (isPlaceKnown && watch.evidence == 0 && age >= Self.renewal)
    // Of a radio that errs more nothing is heard while there are many directions: it would cost as much as the belief.
    guard isDue || (isOpen && isPlaceKnown && louder == nil) else { return }
    let belief = belief()
    let listens = isPlaceKnown && belief?.walks == false
    louder = listens ? belief?.louder.map { Contender($0.limited(to: Self.hypothesisLimit)) } : nil
    guard isDue else { return }
    let isSearch = belief?.walks == false && !isPlaceKnown
    candidate = belief.map {
      Contender(
        ($0.walks ? $0.standing : isSearch ? $0.walkingInOutline : $0.walking).limited(to: Self.hypothesisLimit))
    }
    begin(with: isSearch ? prior : 0)
  }

  /// A belief that walked has been given up for one that stands and has no direction: it becomes the rival, as likely as not.
  package mutating func oppose(with walk: PeerPosterior) {
    candidate = Contender(walk.limited(to: Self.hypothesisLimit))
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
    louder = nil
    watch.reset()
  }
}
