import Estimator
import Foundation
import Geometry
import Ranging

/// The model bank of a link (multiple models): those beside its incumbent. Each predicts every range, and their evidence decides between them.
///
/// A row of the table (`Rule`) is a hypothesis about the peer or the radio: the peer moves, has stopped, has moved and stopped again; the radio's noise is
/// larger; the angles of arrival are inconsistent; no position explains the ranges. For every range: all rows are updated, then one decision is made, then what
/// has ended is respawned from the incumbent. Until the decision, rows with a filter are part of the published posterior at their odds.
///
/// Motion is respawned from a stationary incumbent while its evidence is 0, so it starts at the estimated time of the change (`Evidence`). While no direction is
/// known it is not: an undetected motion would have corrupted the incumbent too, and that row has processed every range. A motion that has ended is respawned
/// from the moving row: a short one is over before it is detected. The surroundings change a radio's errors from centimetres to decimetres within a step; motion
/// must outweigh such a noise. Inconsistent angles of arrival may agree with each other (a misplaced array, a sign of another convention, a lasting reflector);
/// only the ranges of a moving device tell, so that row takes the incumbent of the first angle on without any.
package struct ModelBank {
  /// A row of the bank.
  package enum Kind: Int, CaseIterable, Sendable {
    /// The incumbent without angles of arrival.
    case withoutAoA
    /// Beside a stationary incumbent: the peer moves.
    case moving
    /// Beside a moving incumbent: the peer has stopped.
    case stopped
    /// Beside a stationary incumbent: the peer has moved and is stationary elsewhere.
    case ended
    /// The radio's coloured noise is twice as large.
    case largerNoise
  }

  /// What a row costs and when it wins; log odds in nat.
  package struct Rule {
    /// Log odds against it.
    let cost: Double
    /// Log odds, cost paid, at which it replaces the incumbent.
    let promoteAt: Double
    /// Least evidence.
    var floor: Double?
    /// Most hypotheses: a row is about one mode and lives for seconds, or only predicts ranges.
    var hypothesisLimit = 200
  }

  /// What to do after a range.
  package enum Decision {
    case keep
    /// A row replaces the incumbent.
    case promote(Kind, PeerFilter)
    case enlargeNoise
    /// No position explains the ranges: the search restarts with those that the incumbent left unexplained.
    case restart
  }

  /// A range that the incumbent does not explain, with the accumulated drift at its time.
  package typealias Unexplained = (range: PeerFilter.Range, drift: AccumulatedDrift)

  private struct Model {
    var posterior: PeerFilter
    var evidence: Evidence
    /// Seconds since it started.
    var age = 0.0

    /// - Parameter lost: drift of the trajectory since the previous range.
    mutating func update(_ range: PeerFilter.Range, incumbent: Double?, lost: AccumulatedDrift, seconds: Double) {
      age += seconds
      posterior.drift(position: lost.position, yawVariance: lost.yaw, device: range.device)
      evidence.add(own: posterior.update(range)?.logDensity, incumbent: incumbent, seconds: seconds)
    }
  }

  private enum AoATest {
    case untested, undecided, trusted, refuted
  }

  /// Interval of respawning motion without evidence, seconds.
  private static let respawnInterval = 0.3
  /// Most unexplained ranges that are kept: more than an incumbent survives.
  private static let memory = 50
  /// Angles of arrival are accepted at these log odds against them: 10 000 to 1 for them.
  private static let acceptLogOdds = -log(1e4)

  private let configuration: FinderConfiguration
  /// Probability that a peer is moving when its search starts, 0..<1.
  private var movingPrior: Double
  private var models: [Kind: Model] = [:]
  private var aoaTest = AoATest.untested
  private var rangeOnlyModel: RangeOnlyModel
  private var rangeOnly: Evidence
  /// The newest range.
  private(set) var last: PeerFilter.Range?
  /// The newest ranges, as many as the incumbent leaves unexplained.
  private(set) var unexplained: [Unexplained] = []

  package init(_ configuration: FinderConfiguration, antennas: [String] = [], statedNoise: Double? = nil) {
    self.configuration = configuration
    movingPrior = configuration.movingPrior
    rangeOnlyModel = RangeOnlyModel(configuration: configuration.ranging, antennas: antennas, statedNoise: statedNoise)
    rangeOnly = Evidence(cost: configuration.restartLogOdds, floor: 0)
  }

  /// The table.
  ///
  /// Half of the log odds at which motion replaces a stationary incumbent are a margin: noise models are wrong at times, and uncertainty costs less than
  /// following a stationary peer. An increase of the noise is accepted at the odds at which vertical classes are named. Angles of arrival are rejected at 1000 to 1.
  private func rule(_ kind: Kind) -> Rule {
    let even = 0.5 * configuration.movingLogOdds
    return switch kind {
    case .withoutAoA:
      Rule(
        cost: -log(configuration.aoaInvalidPrior / (1 - configuration.aoaInvalidPrior)), promoteAt: log(1e3),
        hypothesisLimit: 500)
    case .moving: Rule(cost: even, promoteAt: configuration.movingLogOdds - even, floor: 0)
    case .stopped: Rule(cost: configuration.stoppedLogOdds, promoteAt: 0, floor: 0)
    case .ended: Rule(cost: even, promoteAt: configuration.movingLogOdds - even)
    case .largerNoise: Rule(cost: configuration.noiseIncreaseLogOdds, promoteAt: log(19))
    }
  }

  // MARK: What the rows say

  /// The rows with a filter that are published beside the incumbent, with the odds of each against it. A moving incumbent's are not: it is wide enough.
  ///
  /// - Parameter isMoving: of the incumbent.
  func alternatives(isMoving: Bool) -> [(posterior: PeerFilter, odds: Double)] {
    Kind.allCases.compactMap { kind in
      guard kind == .withoutAoA || !isMoving else { return nil }
      return models[kind].map { ($0.posterior, $0.evidence.odds) }
    }
  }

  private func odds(_ kind: Kind) -> Double { models[kind]?.evidence.odds ?? 0 }
  private var motionOdds: Double { odds(.moving) + odds(.stopped) + odds(.ended) }
  /// The row of motion opposite to the incumbent's.
  private var opposite: Kind { models[.stopped] == nil ? .moving : .stopped }
  private var motionEvidence: Double { models[opposite]?.evidence.logRatio ?? 0 }

  /// Probability that the peer's motion is not the incumbent's, 0...1.
  package var motionProbability: Double {
    motionOdds.isFinite ? motionOdds / (1 + motionOdds + odds(.largerNoise)) : 1
  }

  /// The likelier row of motion; nil where there is none.
  private var likeliestMotion: Kind? {
    guard models[opposite] != nil else { return nil }
    return (models[.ended]?.evidence.logRatio ?? -.infinity) > motionEvidence ? .ended : opposite
  }

  /// Its filter, without a limit on hypotheses.
  package var motionPosterior: PeerFilter? { likeliestMotion.flatMap { models[$0]!.posterior.limited(to: nil) } }
  /// Its evidence, nat.
  private var motionLogRatio: Double { likeliestMotion.map { models[$0]!.evidence.logRatio } ?? 0 }

  /// Whether a motion is open since before the incumbent had a direction.
  package var isMotionOpen: Bool { models[opposite].map { $0.evidence.start > 0 && $0.evidence.logRatio > 0 } ?? false }

  /// Probability that the latest ranges contradict the incumbent, 0...1.
  var contradictionProbability: Double { rangeOnly.probability }

  /// Whether the angles of arrival were rejected.
  var isAoARefuted: Bool { aoaTest == .refuted }

  /// Probability that the angles of arrival in use are inconsistent, 0...1.
  var aoaProbability: Double {
    let odds = odds(.withoutAoA)
    return odds.isFinite ? odds / (1 + odds) : 1
  }

  // MARK: A range

  /// Begins to doubt the angles of arrival at the first.
  ///
  /// - Parameter incumbent: before its update by `range`.
  mutating func observeAoA(_ range: PeerFilter.Range, before incumbent: @autoclosure () -> PeerFilter) {
    let rule = rule(.withoutAoA)
    guard aoaTest == .untested, !range.cosines.isEmpty, -rule.cost > Self.acceptLogOdds else { return }
    aoaTest = .undecided
    models[.withoutAoA] = Model(
      posterior: incumbent().limited(to: rule.hypothesisLimit), evidence: Evidence(cost: rule.cost))
  }

  /// Updates every row with a range, then decides.
  ///
  /// - Parameters:
  ///   - logPredictiveDensity: the incumbent's; nil where it predicts none.
  ///   - lost: drift of the trajectory since the previous range.
  ///   - drift: accumulated drift of the trajectory.
  ///   - isTrajectoryLost: then the path contradicts the ranges, not the incumbent.
  package mutating func update(
    _ range: PeerFilter.Range, logPredictiveDensity: Double?, lost: AccumulatedDrift, seconds: Double,
    drift: AccumulatedDrift = AccumulatedDrift(), isTrajectoryLost: Bool = false
  ) -> Decision {
    let since = last.map { range.timestamp.seconds(since: $0.timestamp) } ?? 0.1
    last = range
    updateWithoutAoA(
      range, logPredictiveDensity: isTrajectoryLost ? nil : logPredictiveDensity, lost: lost, seconds: seconds)
    let own = rangeOnlyModel.update(range)
    if isTrajectoryLost {
      forgetContradiction()
    } else {
      rangeOnly.add(own: own, incumbent: logPredictiveDensity, seconds: since)
      unexplained.append((range, drift))
      unexplained.removeFirst(max(unexplained.count - min(rangeOnly.unexplained, Self.memory), 0))
      for kind in [opposite, .ended, .largerNoise] {
        models[kind]?.update(range, incumbent: logPredictiveDensity, lost: lost, seconds: seconds)
      }
      if let evidence = models[.ended]?.evidence, evidence.logRatio <= 0 { models[.ended] = nil }
    }
    return decide(isTrajectoryLost: isTrajectoryLost)
  }

  /// Updates the row without angles of arrival only.
  mutating func updateWithoutAoA(
    _ range: PeerFilter.Range, logPredictiveDensity: Double?, lost: AccumulatedDrift, seconds: Double
  ) {
    var rangeOnly = range
    rangeOnly.cosines = []
    models[.withoutAoA]?.update(rangeOnly, incumbent: logPredictiveDensity, lost: lost, seconds: seconds)
  }

  private mutating func decide(isTrajectoryLost: Bool) -> Decision {
    if let model = models[.withoutAoA] {
      let logOdds = model.evidence.logRatio - model.evidence.cost
      if logOdds > rule(.withoutAoA).promoteAt, model.evidence.logRatio > motionLogRatio {
        models[.withoutAoA] = nil
        aoaTest = .refuted
        return .promote(.withoutAoA, model.posterior.limited(to: nil))
      }
      if logOdds < Self.acceptLogOdds {
        models[.withoutAoA] = nil
        aoaTest = .trusted
      }
    }
    let isRefuted = rangeOnly.logRatio > rangeOnly.cost
    let motion = likeliestMotion.flatMap { kind in models[kind].map { (kind, $0.posterior, $0.evidence) } }
    if let (kind, posterior, evidence) = motion {
      let rule = rule(kind)
      // Motion must outweigh the incumbent and a larger noise together.
      let wins = !isTrajectoryLost && evidence.logRatio - log1p(odds(.largerNoise)) > rule.cost + rule.promoteAt
      if wins || (isRefuted && evidence.logRatio > rangeOnly.logRatio) {
        return .promote(kind, posterior.limited(to: nil))
      }
    }
    if isRefuted { return .restart }
    guard !isTrajectoryLost, motion != nil else { return .keep }
    return odds(.largerNoise) > exp(rule(.largerNoise).promoteAt) * max(1, motionOdds) ? .enlargeNoise : .keep
  }

  // MARK: A new incumbent, new rows

  /// Another filter has replaced the incumbent.
  ///
  /// - Parameter movingPrior: probability that the peer moves, 0..<1.
  mutating func restart(movingPrior: Double) {
    self.movingPrior = movingPrior
    forgetContradiction()
    forgetMotions()
    restartAoA(forgetsTrust: false)
  }

  /// The next angle of arrival restarts its test, unless that has decided.
  ///
  /// - Parameter forgetsTrust: also restarts a test that accepted them.
  mutating func restartAoA(forgetsTrust: Bool) {
    guard aoaTest == .undecided || (forgetsTrust && aoaTest == .trusted) else { return }
    aoaTest = .untested
    models[.withoutAoA] = nil
  }

  /// Drops all rows but the angles of arrival's.
  package mutating func forgetMotions() {
    for kind in [Kind.moving, .stopped, .ended, .largerNoise] { models[kind] = nil }
  }

  mutating func forgetContradiction() {
    rangeOnly.restart()
    unexplained = []
  }

  /// Respawns the rows of motion and noise that are due from the incumbent.
  ///
  /// - Parameters:
  ///   - incumbent: nil where it has no rows: there are no hypotheses yet, or the peer has reported that it moves.
  ///   - isDirectionKnown: whether the incumbent has one direction.
  package mutating func respawn(from incumbent: @autoclosure () -> PeerFilter?, isDirectionKnown: Bool = true) {
    respawnEnded()
    let current = models[opposite]
    let isDue =
      current.map { isDirectionKnown && $0.evidence.logRatio == 0 && $0.age >= Self.respawnInterval } ?? true
    // No noise row while there are many directions: it would cost as much as the incumbent.
    guard isDue || (isMotionOpen && isDirectionKnown && models[.largerNoise] == nil) else { return }
    let incumbent = incumbent()
    let considersNoise = isDirectionKnown && incumbent?.isMoving == false
    models[.largerNoise] = considersNoise ? incumbent?.withLargerNoise.map { model(.largerNoise, $0) } : nil
    guard isDue else { return }
    (models[.moving], models[.stopped]) = (nil, nil)
    guard let incumbent else { return forgetMotions() }
    if incumbent.isMoving {
      models[.stopped] = model(.stopped, incumbent.stationary)
    } else if isDirectionKnown {
      models[.moving] = model(.moving, incumbent.moving)
    } else {
      // Under way when the search starts, against a motion that starts within an interval.
      let prior = max(rule(.moving).cost + log(movingPrior / (1 - movingPrior)), 0)
      models[.moving] = model(.moving, incumbent.underWay, start: prior)
    }
  }

  /// The motion with its end, where it explains the ranges better than the one that ended before.
  private mutating func respawnEnded() {
    guard let moving = models[.moving] else { return }
    let over = moving.evidence.logRatio - configuration.stoppedLogOdds
    let ended = models[.ended]
    if over > ended?.evidence.logRatio ?? moving.evidence.start, ended?.age ?? .infinity >= Self.respawnInterval {
      models[.ended] = model(.ended, moving.posterior.stationary, start: over)
    }
  }

  /// A moving incumbent was replaced by a stationary one without a direction: it becomes a row, as likely as not.
  package mutating func seed(with filter: PeerFilter) {
    models[.moving] = model(.moving, filter, start: rule(.moving).cost)
  }

  private func model(_ kind: Kind, _ posterior: PeerFilter, start: Double = 0) -> Model {
    let rule = rule(kind)
    return Model(
      posterior: posterior.limited(to: rule.hypothesisLimit),
      evidence: Evidence(cost: rule.cost, start: start, floor: rule.floor))
  }
}
