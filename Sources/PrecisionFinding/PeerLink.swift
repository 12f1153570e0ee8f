import Estimator
import Foundation
import Geometry
import Ranging
import SensorData

/// The link to one peer: hypotheses while several modes are possible, states of the filter once few are left,
/// hypotheses again when the peer moves or the ranges contradict the states.
final class PeerLink {
  enum Stage {
    case searching(PeerFilter)
    case tracked(TrackedModes)
  }

  let peer: String
  let configuration: FinderConfiguration
  let antennas: [String]
  let statedNoise: Double?
  let bodyFromDevice: Pose
  var stage: Stage
  var drift = AccumulatedDrift()
  /// New ranges since the search started, those that it started with included; duplicates are none.
  var rangesTaken = 0
  /// The models beside the filter of the stage.
  var bank: ModelBank
  /// Since the search started.
  var poses = PoseHistory()
  /// Of the path since the search started.
  var excitation = PathExcitation()
  var kept: [RangeMeasurement] = []
  /// Where the radio smooths; and its memory, per antenna id.
  let rangeFilter: RangeFilter?
  var smoothedPlaces: [String: SmoothedPlace] = [:]
  /// Per antenna id.
  var duplicateDetectors: [String: DuplicateRangeDetector] = [:]
  /// Whether the peer reported that it moves; nil without a report.
  var reportedMoving: Bool?
  /// Statistics of the incoming ranges.
  var record = LinkRecord()

  init(
    peer: String, configuration: FinderConfiguration, antennas: [String], statedNoise: Double?, bodyFromDevice: Pose,
    rangeFilter: RangeFilter? = nil
  ) {
    self.peer = peer
    self.rangeFilter = rangeFilter
    self.bodyFromDevice = bodyFromDevice
    self.configuration = configuration
    self.antennas = antennas
    self.statedNoise = statedNoise
    stage = .searching(
      PeerFilter(configuration: configuration.ranging, antennas: antennas, statedNoise: statedNoise))
    bank = ModelBank(configuration, antennas: antennas, statedNoise: statedNoise)
  }

  /// A filter without measurements.
  var newFilter: PeerFilter {
    let newFilter = PeerFilter(configuration: configuration.ranging, antennas: antennas, statedNoise: statedNoise)
    return reportedMoving == true ? newFilter.moving : newFilter
  }

  /// Processes a range at the filter's time. `antenna` is its position in the body, metres.
  func process(_ range: RangeMeasurement, antenna: Vector3, filter: any NavigationFilter) {
    record.recordRange(range)
    var placed = worldRange(range, antenna: antenna, filter: filter)
    guard !isDuplicate(range, antenna: placed.antenna) else { return record.recordDuplicate(range) }
    let range = unsmoothed(range, &placed, filter: filter)
    rangesTaken += 1
    if configuration.ranging.posePrior > 0 {
      placed.pose = poses.visit(filter.worldFromBody, by: range.antenna)
    }
    placed.extraVariance += roundingVariance(of: range.antenna)
    let seconds = record.recordNewRange(at: range.timestamp) ?? 0.1
    var lost = filter.accumulatedDrift - drift
    if isTrajectoryJump(by: lost, range: range.range, filter) {
      detach(from: filter)
      lost = AccumulatedDrift()
    }
    drift = filter.accumulatedDrift
    excitation.add(
      placed.antenna, seconds: seconds, drift: lost, range: range.range, observesSide: !placed.cosines.isEmpty,
      observesHeight: placed.cosines.contains(where: \.observesHeight))
    bank.observeAoA(placed, before: currentFilter(at: placed, filter))
    let (logPredictiveDensity, isContradicted) = update(range, placed, antenna, lost, filter)
    let decision = bank.update(
      placed, logPredictiveDensity: logPredictiveDensity, lost: lost, seconds: seconds, drift: drift,
      isTrajectoryLost: filter.isTrajectoryLost, isContradicted: isContradicted)
    apply(decision, placed, filter: filter)
  }

  /// The newest decision of the bank, then the rows that are due.
  private func apply(_ decision: ModelBank.Decision, _ range: PeerFilter.Range, filter: any NavigationFilter) {
    switch decision {
    case .promote(let kind, let posterior): promote(kind, posterior, filter: filter)
    case .restart: restartSearch(filter: filter, with: bank.unexplained)
    case .enlargeNoise: enlargeNoise()
    case .keep:
      guard !filter.isTrajectoryLost else { return bank.forgetMotions() }
      bank.respawn(from: incumbent(range, filter: filter), isDirectionKnown: isDirectionKnown)
    }
  }

  /// Records a restart of the search.
  func recordRestart() { record.restarts += 1 }

  /// Bayes update in the current stage: the log predictive density of the range, and whether ranges contradict the
  /// states.
  private func update(
    _ range: RangeMeasurement, _ placed: PeerFilter.Range, _ antenna: Vector3, _ lost: AccumulatedDrift,
    _ filter: any NavigationFilter
  ) -> (logPredictiveDensity: Double?, isContradicted: Bool) {
    switch stage {
    case .searching(var posterior):
      // Megabytes of hypotheses: a second reference would force a copy at the first change.
      stage = .searching(newFilter)
      if posterior.hasBegun {
        posterior.drift(
          position: lost.position, yawVariance: lost.yaw, device: filter.worldFromBody.translation)
      }
      let outcome = posterior.update(placed)
      if let outcome {
        poses.remember(
          placed.range, antenna: placed.antenna, by: range.antenna, losProbability: outcome.losProbability)
        record.recordProcessed(
          range, wasUsed: outcome.losProbability > 0.5, innovation: (outcome.innovation, outcome.sigma),
          losProbability: posterior.losProbability)
      } else {
        record.recordHeld(range, isWaiting: !posterior.hasBegun)
      }
      stage = .searching(posterior)
      augmentFilter(filter: filter)
      return (outcome.flatMap { $0.isTelling ? $0.logDensity : nil }, false)
    case .tracked(var tracked):
      let antennaInNavigation = filter.bodyFromNavigation.inverse * antenna
      let outcome = tracked.update(
        range, placed.cosines, pose: placed.pose ?? PoseVisit(), antenna: antennaInNavigation, filter: filter)
      record.recordProcessed(
        range, wasUsed: outcome == .used, innovation: tracked.best.innovation, losProbability: tracked.losProbability)
      stage = .tracked(tracked)
      return (tracked.logDensity, outcome == .contradicted)
    }
  }
}
