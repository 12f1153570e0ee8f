import Estimator
import Foundation
import Geometry
import Ranging

/// Watches whether a peer that is taken to stand has begun to walk, or has walked and stands elsewhere, or whether one that is taken
/// to walk has stopped.
///
/// Beside the belief stands its rival, which is the same belief but for that. Both foretell every range; as long as nothing speaks for
/// the rival it begins anew from the belief, so that its walk begins where the evidence does (Page's test, see
/// `ContradictionWatch`). Beside a rival that walks stands, from the moment at which something speaks for it, the same rival come to
/// rest, which begins anew as long as to walk on explains the ranges better: a short walk is over before it has been noticed.
/// A rival that wins takes over with all it knows: the peer is followed, not searched for.
package struct WalkRival {
  /// How often a rival for which nothing speaks begins anew, seconds.
  private static let renewal = 0.3
  /// A rival needs no more hypotheses than this: it is about one place, and lives for seconds.
  private static let hypothesisLimit = 200

  /// What part of the logarithm of the odds at which a walking rival takes over makes it as likely as not; the rest is reserve. What
  /// is believed of a radio's errors is wrong at times, and to be unsure costs less than to follow a peer that stands.
  private static let even = 0.5

  /// Logarithms of the odds.
  private let limit, restLimit, loudLimit: Double
  private var candidate: PeerPosterior?
  private var watch: ContradictionWatch
  private var age = 0.0
  /// The peer has walked and stands elsewhere: nil while nothing speaks for it. Its evidence is that of the walk, less what it costs that the
  /// walk has ended, and what has come since.
  private var rested: (posterior: PeerPosterior, evidence: Double, age: Double)?
  /// Nobody walks and the radio errs more; nil beside a belief that walks.
  private var louder: LouderRadio?

  /// - Parameters:
  ///   - limit: logarithm of the odds at which the rival takes over.
  ///   - restLimit: logarithm of the odds against the walk's end within a renewal.
  ///   - loudLimit: logarithm of the odds against a radio that begins to err more within a renewal.
  package init(limit: Double, restLimit: Double, loudLimit: Double) {
    (self.limit, self.restLimit, self.loudLimit) = (limit, restLimit, loudLimit)
    watch = ContradictionWatch(limit: limit)
  }

  /// The rival that is likelier, free to grow; nil where there is none.
  package var posterior: PeerPosterior? {
    (rested.map { $0.evidence > watch.evidence } == true ? rested?.posterior : candidate)?.limited(to: nil)
  }
  /// Probability that the rival is right, 0...1.
  package var probability: Double {
    let odds = walks.reduce(0) { $0 + $1.odds }
    return odds.isFinite ? odds / (1 + odds + loudOdds) : 1
  }
  /// What speaks for the likelier one, natural logarithm of the odds.
  package var evidence: Double { candidate == nil ? 0 : max(watch.evidence, rested?.evidence ?? 0) }

  /// What may be true instead of the belief, and the odds of each against it.
  package var alternatives: [(posterior: PeerPosterior, odds: Double)] {
    walks + (louder.map { [($0.belief, loudOdds)] } ?? [])
  }

  private var loudOdds: Double { louder.map { exp($0.evidence - loudLimit) } ?? 0 }

  private var walks: [(posterior: PeerPosterior, odds: Double)] {
    guard let candidate else { return [] }
    let even = limit * (candidate.walks ? Self.even : 1)
    return [(candidate, exp(watch.evidence - even))] + (rested.map { [($0.posterior, exp($0.evidence - even))] } ?? [])
  }

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
    let own = Self.update(&candidate!, range, lost)
    _ = watch.note(belief: foretold, alone: own, seconds: seconds)
    louder?.weigh(range, foretold: foretold, lost: lost, seconds: seconds)
    if rested != nil {
      rested!.age += seconds
      if let foretold, let own = Self.update(&rested!.posterior, range, lost) {
        rested!.evidence += ContradictionWatch.share(seconds) * (own - foretold)
      }
      if rested!.evidence <= 0 { rested = nil }
    }
    return verdict
  }

  /// The rival must outdo belief and louder radio together.
  private var verdict: Verdict {
    if evidence - log1p(loudOdds) > limit { return .rival }
    return loudOdds > Self.loudOddsEnough && loudOdds > Self.loudOddsEnough * walks.reduce(0) { $0 + $1.odds } ? .louderRadio : .belief
  }

  /// Odds at which a radio is taken to err more.
  private static let loudOddsEnough = 19.0

  private static func update(
    _ posterior: inout PeerPosterior, _ range: PeerPosterior.Range, _ lost: AccumulatedDrift
  ) -> Double? {
    posterior.drift(position: lost.position, yawVariance: lost.yaw, device: range.device)
    return posterior.update(range)?.logDensity
  }

  /// Begins anew from a belief, where nothing speaks for the rival and the time has come.
  package mutating func renew(from belief: @autoclosure () -> PeerPosterior?) {
    if let candidate, candidate.walks, watch.evidence - restLimit > rested?.evidence ?? 0,
      rested?.age ?? .infinity >= Self.renewal
    {
      rested = (candidate.standing.limited(to: Self.hypothesisLimit), watch.evidence - restLimit, 0)
    }
    guard candidate == nil || (watch.evidence == 0 && age >= Self.renewal) else { return }
    watch.reset()
    age = 0
    let belief = belief()
    candidate = belief.map { ($0.walks ? $0.standing : $0.walking).limited(to: Self.hypothesisLimit) }
    louder = belief.flatMap { $0.walks ? nil : LouderRadio($0.limited(to: Self.hypothesisLimit)) }
  }

  /// Nothing is to be compared for now.
  package mutating func dismiss() {
    candidate = nil
    rested = nil
    louder = nil
    watch.reset()
  }
}
