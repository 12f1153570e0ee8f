import Estimator
import Foundation
import Ranging

/// Whether the angles of arrival of a link mean what the recording says they mean.
///
/// Wrong ones may agree with each other for ever: an array that sits otherwise than stated, a sign of another convention, a reflector that lasts. Nothing
/// in them shows it; the ranges of a device that moves do. So beside the belief stands one that has heard the same ranges and no angle, from the
/// first angle on, and both foretell every range. What the angles say counts for the belief by what it foretells of the ranges, and by nothing else.
/// Until that has settled it, what the ranges say by themselves is a share of what is published.
struct AoAValidityTest {
  private enum State {
    /// No angle has come.
    case unheard
    /// What the ranges say by themselves, and what they speak for it.
    case open(AlternativeModel)
    /// The ranges bear the angles out.
    case trusted
    /// The angles mislead: none is heard any more.
    case refuted
  }

  /// Odds of 10 000 to 1 for the angles, or of 1000 to 1 against them, settle it.
  private static let (trusting, refuting) = (-log(1e4), log(1e3))

  /// What the ranges say by themselves is worked out with so many hypotheses at most: it is to foretell ranges, and costs as much as the belief.
  private static let hypothesisLimit = 500

  /// Logarithm of the odds beforehand.
  private let prior: Double
  private var state = State.unheard

  /// - Parameter astray: probability that the angles of a link mean something else, 0..<1.
  init(astray: Double) { prior = log(astray / (1 - astray)) }

  /// Whether no angle is heard any more.
  var isRefuted: Bool {
    if case .refuted = state { return true }
    return false
  }

  /// What the ranges say by themselves while it is open, and its odds against the belief.
  var alternative: (posterior: PeerFilter, odds: Double)? {
    guard case .open(let alternative) = state else { return nil }
    return (alternative.posterior, exp(prior + alternative.evidence))
  }

  /// Probability that the angles mislead, of those that are still heard, 0...1.
  var probability: Double {
    guard let odds = alternative?.odds else { return 0 }
    return odds.isFinite ? odds / (1 + odds) : 1
  }

  /// The first angle opens it.
  ///
  /// - Parameter belief: before it has taken `range` in.
  mutating func hear(_ range: PeerFilter.Range, before belief: @autoclosure () -> PeerFilter) {
    guard case .unheard = state, !range.cosines.isEmpty, prior > Self.trusting else { return }
    state = .open(AlternativeModel(belief().limited(to: Self.hypothesisLimit)))
  }

  /// Weighs what the ranges say by themselves against the belief: the posterior that is to take its place, once the angles are refuted.
  ///
  /// - Parameters:
  ///   - logPredictiveDensity: logarithm of the belief's density for the range; nil where that says nothing.
  ///   - lost: what the trajectory lost since the range before.
  ///   - others: logarithm of the odds of what else explains the ranges better than the belief: a peer that isMoving.
  mutating func weigh(
    _ range: PeerFilter.Range, logPredictiveDensity: Double?, lost: AccumulatedDrift, seconds: Double, others: Double
  ) -> PeerFilter? {
    guard case .open(var alternative) = state else { return nil }
    // Megabytes of hypotheses: held twice, they would be copied.
    state = .unheard
    var bare = range
    bare.cosines = []
    alternative.weigh(bare, logPredictiveDensity: logPredictiveDensity, lost: lost, seconds: seconds)
    let odds = prior + alternative.evidence
    if odds > Self.refuting, alternative.evidence > others {
      state = .refuted
      return alternative.posterior.limited(to: nil)
    }
    state = odds < Self.trusting ? .trusted : .open(alternative)
    return nil
  }

  /// The belief has been given up for another one: the next angle opens it anew, unless the angles have been settled.
  ///
  /// - Parameter forgetsTrust: what the ranges bore out is in doubt as well.
  mutating func restart(forgetsTrust: Bool) {
    switch state {
    case .open: state = .unheard
    case .trusted: state = forgetsTrust ? .unheard : .trusted
    case .unheard, .refuted: break
    }
  }
}
