import Estimator
import Foundation
import Geometry
import Ranging

/// Detects whether a stationary peer has started to move, or has moved and stopped, or whether a moving peer has
/// stopped.
///
/// CUSUM change detection (see `PageCUSUM`). The alternative is the incumbent filter with the other motion model. It is
/// respawned from the incumbent while its cumulative log likelihood ratio is 0, so the motion starts at the estimated
/// time of the change. While no direction is known it is not respawned: an undetected motion would have corrupted the
/// incumbent too. That alternative has processed every range.
///
/// A second alternative to a stationary incumbent is the moving one with the motion ended. It is respawned while
/// continued motion explains the ranges better: a short motion is over before it is detected. The alternative that wins
/// replaces the incumbent with all its information: the peer is followed, not searched for.
///
/// A third explanation is an increase of the radio's noise (`withLargerNoise`). The surroundings change a radio's
/// errors from centimetres to decimetres within a step, and a link's noise is learnt where its search started. Motion
/// must outweigh both.
package struct MotionAlternatives {
  /// Interval of respawning an alternative with zero log likelihood ratio, seconds.
  private static let respawnInterval = 0.3
  /// Most hypotheses of an alternative: it is about one mode and lives for seconds, or only predicts ranges.
  private static let hypothesisLimit = 200

  /// Fraction of the log odds of promotion at which a moving alternative is as likely as not. The rest is a margin:
  /// noise models are wrong at times, and uncertainty costs less than following a stationary peer.
  private static let even = 0.5

  /// Odds at which an increase of the noise is accepted: the odds at which vertical classes are named.
  private static let noiseIncreasePromotionOdds = 19.0

  /// Log odds. `prior`: of a motion under way when the search starts, against one that starts within a respawn
  /// interval.
  private let limit, stoppedLogOdds, noiseIncreaseLogOdds, prior: Double
  private var candidate: AlternativeModel?
  /// Log likelihood ratio of the candidate when it started.
  private var initialLogRatio = 0.0
  private var cusum: PageCUSUM
  private var age = 0.0
  /// The peer has moved and is stationary elsewhere: nil while its log odds are not positive. They are those of the
  /// motion, less the cost of its end, plus the later log likelihood ratio.
  private var stopped: AlternativeModel?
  /// The peer is stationary and the radio's noise is larger; nil beside a moving incumbent, or one whose noise cannot
  /// increase.
  private var noisier: AlternativeModel?

  /// - Parameters:
  ///   - limit: log odds at which the alternative is promoted.
  ///   - stoppedLogOdds: log odds against the end of a motion within a respawn interval.
  ///   - noiseIncreaseLogOdds: log odds against an increase of the noise within a respawn interval.
  ///   - movingPrior: probability that a peer is moving when its search starts, 0..<1.
  package init(limit: Double, stoppedLogOdds: Double, noiseIncreaseLogOdds: Double, movingPrior: Double = 0) {
    (self.limit, self.stoppedLogOdds, self.noiseIncreaseLogOdds) = (limit, stoppedLogOdds, noiseIncreaseLogOdds)
    prior = max(limit * Self.even + log(movingPrior / (1 - movingPrior)), 0)
    cusum = PageCUSUM(limit: limit)
  }

  /// Whether the candidate is open since before the incumbent had a direction.
  package var isOpen: Bool { initialLogRatio > 0 && cusum.logLikelihoodRatio > 0 }

  /// The likelier of the moving and the stopped alternative, without a limit on hypotheses; nil where there is none.
  package var posterior: PeerFilter? {
    let isOver = stopped.map { $0.logLikelihoodRatio > cusum.logLikelihoodRatio } ?? false
    return (isOver ? stopped : candidate)?.posterior.limited(to: nil)
  }

  /// Probability of the moving and stopped alternatives, 0...1.
  package var probability: Double { movingOdds.isFinite ? movingOdds / (1 + movingOdds + noiseIncreaseOdds) : 1 }
  /// Log likelihood ratio of the likelier one.
  package var logLikelihoodRatio: Double {
    candidate == nil ? 0 : max(cusum.logLikelihoodRatio, stopped?.logLikelihoodRatio ?? 0)
  }

  /// The alternatives to the incumbent, with the odds of each against it.
  package var alternatives: [(posterior: PeerFilter, odds: Double)] {
    movingAlternatives + (noisier.map { [($0.posterior, noiseIncreaseOdds)] } ?? [])
  }

  private var movingAlternatives: [(posterior: PeerFilter, odds: Double)] {
    guard let candidate else { return [] }
    let even = limit * (candidate.posterior.isMoving ? Self.even : 1)
    let stopped = stopped.map { [($0.posterior, exp($0.logLikelihoodRatio - even))] } ?? []
    return [(candidate.posterior, exp(cusum.logLikelihoodRatio - even))] + stopped
  }

  private var movingOdds: Double { movingAlternatives.reduce(0) { $0 + $1.odds } }
  private var noiseIncreaseOdds: Double { noisier.map { exp($0.logLikelihoodRatio - noiseIncreaseLogOdds) } ?? 0 }

  /// The model to use from now on.
  package enum Outcome { case incumbent, alternative, largerNoise }

  /// Updates the alternatives with a range and decides which model to use.
  ///
  /// - Parameters:
  ///   - logPredictiveDensity: the incumbent's; nil where it predicts none.
  ///   - lost: drift of the trajectory since the previous range.
  package mutating func update(
    _ range: PeerFilter.Range, logPredictiveDensity: Double?, lost: AccumulatedDrift, seconds: Double
  ) -> Outcome {
    guard candidate != nil else { return .incumbent }
    age += seconds
    _ = cusum.update(
      incumbent: logPredictiveDensity, alternative: candidate!.update(range, lost: lost), seconds: seconds)
    stopped?.update(range, logPredictiveDensity: logPredictiveDensity, lost: lost, seconds: seconds)
    noisier?.update(range, logPredictiveDensity: logPredictiveDensity, lost: lost, seconds: seconds)
    if let logLikelihoodRatio = stopped?.logLikelihoodRatio, logLikelihoodRatio <= 0 { stopped = nil }
    // The alternative must outweigh the incumbent and the noise increase together.
    if logLikelihoodRatio - log1p(noiseIncreaseOdds) > limit { return .alternative }
    return noiseIncreaseOdds > Self.noiseIncreasePromotionOdds * max(1, movingOdds) ? .largerNoise : .incumbent
  }

  /// Respawns the alternatives from the incumbent where their log likelihood ratio is 0 and the interval has passed.
  ///
  /// - Parameter isDirectionKnown: whether the incumbent has one direction.
  package mutating func respawn(from incumbent: @autoclosure () -> PeerFilter?, isDirectionKnown: Bool = true) {
    let over = cusum.logLikelihoodRatio - stoppedLogOdds
    if let moving = candidate?.posterior, moving.isMoving, over > stopped?.logLikelihoodRatio ?? initialLogRatio,
      stopped?.age ?? .infinity >= Self.respawnInterval
    {
      stopped = AlternativeModel(moving.stationary.limited(to: Self.hypothesisLimit), logLikelihoodRatio: over)
    }
    let isDue = candidate == nil || (isDirectionKnown && cusum.logLikelihoodRatio == 0 && age >= Self.respawnInterval)
    // No noise alternative while there are many directions: it would cost as much as the incumbent.
    guard isDue || (isOpen && isDirectionKnown && noisier == nil) else { return }
    let incumbent = incumbent()
    let considersNoiseIncrease = isDirectionKnown && incumbent?.isMoving == false
    noisier =
      considersNoiseIncrease
      ? incumbent?.withLargerNoise.map { AlternativeModel($0.limited(to: Self.hypothesisLimit)) } : nil
    guard isDue else { return }
    let isSearch = incumbent?.isMoving == false && !isDirectionKnown
    candidate = incumbent.map {
      AlternativeModel(
        ($0.isMoving ? $0.stationary : isSearch ? $0.movingCoarse : $0.moving).limited(to: Self.hypothesisLimit))
    }
    reset(with: isSearch ? prior : 0)
  }

  /// A moving incumbent was replaced by a stationary one without a direction: it becomes the alternative, as likely as
  /// not.
  package mutating func seed(with filter: PeerFilter) {
    candidate = AlternativeModel(filter.limited(to: Self.hypothesisLimit))
    reset(with: limit * Self.even)
  }

  private mutating func reset(with logLikelihoodRatio: Double) {
    initialLogRatio = logLikelihoodRatio
    cusum.reset(to: logLikelihoodRatio)
    age = 0
  }

  /// Drops the alternatives.
  package mutating func clear() {
    candidate = nil
    stopped = nil
    noisier = nil
    cusum.reset()
  }
}
