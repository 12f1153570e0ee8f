import Estimator
import Foundation
import Ranging

/// Tests whether the angles of arrival (AoA) of a link are consistent with its ranges.
///
/// Inconsistent AoA may agree with each other: a misplaced array, a sign of another convention, a lasting reflector.
/// Only the ranges of a moving device reveal them. The alternative is the incumbent filter without AoA, started at the
/// first AoA. Both predict every range, and the incumbent's predictive density of the range alone is compared. Until
/// the test decides, the alternative is part of the published posterior at its odds.
struct AoAValidityMonitor {
  private enum State {
    /// No AoA has been received.
    case untested
    /// The filter that ignores AoA, with its log likelihood ratio.
    case undecided(AlternativeModel)
    /// The ranges are consistent with the AoA.
    case trusted
    /// The AoA are inconsistent: none is used any more.
    case refuted
  }

  /// Log odds against the AoA: accepted at 10 000 to 1 for them, rejected at 1000 to 1 against them.
  private static let (acceptLogOdds, rejectLogOdds) = (-log(1e4), log(1e3))

  /// Most hypotheses of the alternative: it only predicts ranges, and costs as much as the incumbent.
  private static let hypothesisLimit = 500

  /// Prior log odds.
  private let prior: Double
  private var state = State.untested

  /// - Parameter invalidPrior: probability that the AoA of a link are inconsistent, 0..<1.
  init(invalidPrior: Double) { prior = log(invalidPrior / (1 - invalidPrior)) }

  /// Whether the AoA were rejected.
  var isRefuted: Bool {
    if case .refuted = state { return true }
    return false
  }

  /// While undecided, the filter without AoA and its odds against the incumbent.
  var alternative: (posterior: PeerFilter, odds: Double)? {
    guard case .undecided(let alternative) = state else { return nil }
    return (alternative.posterior, exp(prior + alternative.logLikelihoodRatio))
  }

  /// Probability that the AoA in use are inconsistent, 0...1.
  var probability: Double {
    guard let odds = alternative?.odds else { return 0 }
    return odds.isFinite ? odds / (1 + odds) : 1
  }

  /// Starts the test at the first AoA.
  ///
  /// - Parameter incumbent: before its update by `range`.
  mutating func observe(_ range: PeerFilter.Range, before incumbent: @autoclosure () -> PeerFilter) {
    guard case .untested = state, !range.cosines.isEmpty, prior > Self.acceptLogOdds else { return }
    state = .undecided(AlternativeModel(incumbent().limited(to: Self.hypothesisLimit)))
  }

  /// Updates the log likelihood ratio with a range. Returns the filter that replaces the incumbent once the AoA are
  /// rejected.
  ///
  /// - Parameters:
  ///   - logPredictiveDensity: the incumbent's for the range; nil where it predicts none.
  ///   - lost: drift of the trajectory since the previous range.
  ///   - otherLogOdds: log odds of other alternatives to the incumbent: a moving peer.
  mutating func update(
    _ range: PeerFilter.Range, logPredictiveDensity: Double?, lost: AccumulatedDrift, seconds: Double,
    otherLogOdds: Double
  ) -> PeerFilter? {
    guard case .undecided(var alternative) = state else { return nil }
    // Megabytes of hypotheses: a second reference would force a copy.
    state = .untested
    var rangeOnly = range
    rangeOnly.cosines = []
    alternative.update(rangeOnly, logPredictiveDensity: logPredictiveDensity, lost: lost, seconds: seconds)
    let odds = prior + alternative.logLikelihoodRatio
    if odds > Self.rejectLogOdds, alternative.logLikelihoodRatio > otherLogOdds {
      state = .refuted
      return alternative.posterior.limited(to: nil)
    }
    state = odds < Self.acceptLogOdds ? .trusted : .undecided(alternative)
    return nil
  }

  /// Another filter has replaced the incumbent: the next AoA restarts the test, unless it has decided.
  ///
  /// - Parameter forgetsTrust: also restarts a test that accepted the AoA.
  mutating func restart(forgetsTrust: Bool) {
    switch state {
    case .undecided: state = .untested
    case .trusted: state = forgetsTrust ? .untested : .trusted
    case .untested, .refuted: break
    }
  }
}
