import Estimator
import Foundation
import Geometry
import Ranging
import SensorData

/// One peer's link through its life: hypotheses while several places are possible, states of the filter once few are left,
/// hypotheses again when the peer isMoving or the ranges contradict that state.
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
  var rangesTaken = 0
  var watch: ConsistencyMonitor
  var rival: MotionAlternatives
  var aoaValidity: AoAValidityTest
  /// Of the path since the hypotheses were opened.
  var aperture = PathExcitation()
  var kept: [RangeMeasurement] = []
  /// Of each antenna, by its id.
  var repeats: [String: DuplicateRangeDetector] = [:]
  /// Whether the peer has said that it moves; nil when it has said nothing.
  var reportedMoving: Bool?
  /// What came in.
  var record = LinkRecord()

  init(
    peer: String, configuration: FinderConfiguration, antennas: [String], statedNoise: Double?, bodyFromDevice: Pose
  ) {
    self.peer = peer
    self.bodyFromDevice = bodyFromDevice
    self.configuration = configuration
    self.antennas = antennas
    self.statedNoise = statedNoise
    stage = .searching(
      PeerFilter(configuration: configuration.ranging, antennas: antennas, statedNoise: statedNoise))
    watch = ConsistencyMonitor(configuration, antennas: antennas, statedNoise: statedNoise)
    rival = MotionAlternatives(
      limit: configuration.movingLogOdds, restLimit: configuration.stoppedLogOdds, noiseIncreaseLogOdds: configuration.noiseIncreaseLogOdds,
      share: configuration.movingPrior)
    aoaValidity = AoAValidityTest(astray: configuration.aoaInvalidPrior)
  }

  /// A posterior that knows nothing.
  var fresh: PeerFilter {
    let fresh = PeerFilter(configuration: configuration.ranging, antennas: antennas, statedNoise: statedNoise)
    return reportedMoving == true ? fresh.moving : fresh
  }

  /// Takes a range in, at the filter's time. `antenna` is its position in the body, metres.
  func take(_ range: RangeMeasurement, antenna: Vector3, filter: any NavigationFilter) {
    record.note(range)
    rangesTaken += 1
    let placed = measured(range, antenna: antenna, filter: filter)
    guard !isRepeated(range, antenna: placed.antenna) else { return record.recordDuplicate(range) }
    let seconds = record.recordNewRange(at: range.timestamp) ?? 0.1
    var lost = filter.accumulatedDrift - drift
    if isTornAway(by: lost, range: range.range, filter) {
      detach(from: filter)
      lost = AccumulatedDrift()
    }
    drift = filter.accumulatedDrift
    aperture.note(
      placed.antenna, seconds: seconds, drift: lost, range: range.range, observesSide: !placed.cosines.isEmpty,
      observesHeight: placed.cosines.contains(where: \.observesHeight))
    aoaValidity.hear(placed, before: belief(at: placed, filter))
    let (logPredictiveDensity, isContradicted) = weigh(range, placed, antenna, lost, filter)
    if let bare = aoaValidity.weigh(
      placed, logPredictiveDensity: ConsistencyMonitor.isLost(filter) ? nil : logPredictiveDensity, lost: lost, seconds: seconds, others: rival.evidence)
    {
      return giveUpAngles(for: bare, filter: filter)
    }
    let isRefuted = watch.weighs(placed, logPredictiveDensity: logPredictiveDensity, filter)
    let verdict =
      ConsistencyMonitor.isLost(filter) ? .belief : rival.weigh(placed, logPredictiveDensity: logPredictiveDensity, lost: lost, seconds: seconds)
    if verdict == .rival || ((isRefuted || isContradicted) && rival.evidence > watch.evidence) {
      promoteAlternative(filter: filter)
    } else if isRefuted || isContradicted {
      restartSearch(filter: filter, with: watch.unexplained)
    } else if ConsistencyMonitor.isLost(filter) {
      rival.dismiss()
    } else if verdict == .largerNoise {
      raiseNoise()
    } else {
      rival.renew(from: incumbent(placed, filter: filter), isDirectionKnown: isDirectionKnown)
    }
  }

  /// The hypotheses have been opened anew.
  func recordRestart() { record.reopened += 1 }

  /// Bayes' rule in whichever stage the link is: the logarithm of the density that was logPredictiveDensity for the range, and whether ranges
  /// contradict the state for good.
  private func weigh(
    _ range: RangeMeasurement, _ placed: PeerFilter.Range, _ antenna: Vector3, _ lost: AccumulatedDrift,
    _ filter: any NavigationFilter
  ) -> (logPredictiveDensity: Double?, isContradicted: Bool) {
    switch stage {
    case .searching(var posterior):
      // Megabytes of hypotheses: held twice, they would be copied as soon as one is touched.
      stage = .searching(fresh)
      if posterior.hasBegun {
        posterior.drift(
          position: lost.position, yawVariance: lost.yaw, device: filter.worldFromBody.translation)
      }
      let outcome = posterior.update(placed)
      if let outcome {
        record.count(
          range, wasUsed: outcome.free > 0.5, innovation: (outcome.innovation, outcome.sigma), free: posterior.free)
      } else {
        record.hold(range, isWaiting: !posterior.hasBegun)
      }
      stage = .searching(posterior)
      handOver(filter: filter)
      return (outcome?.logDensity, false)
    case .tracked(var tracked):
      let placeOfAntenna = filter.bodyFromNavigation.inverse * antenna
      let outcome = tracked.update(range, placed.cosines, antenna: placeOfAntenna, filter: filter)
      record.count(range, wasUsed: outcome == .used, innovation: tracked.best.innovation, free: tracked.free)
      stage = .tracked(tracked)
      return (tracked.logDensity, outcome == .contradicted)
    }
  }
}
