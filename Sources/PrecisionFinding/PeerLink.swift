import Estimator
import Foundation
import Geometry
import Ranging
import SensorData

/// One peer's link through its life: hypotheses while several places are possible, states of the filter once few are left,
/// hypotheses again when the peer walks or the ranges contradict that state.
final class PeerLink {
  enum Stage {
    case searching(PeerPosterior)
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
  var watch: LinkWatch
  var rival: WalkRival
  var angleDoubt: AngleDoubt
  /// Of the path since the hypotheses were opened.
  var aperture = PathAperture()
  var kept: [RangeMeasurement] = []
  /// Of each antenna, by its id.
  var repeats: [String: RepeatWatch] = [:]
  /// Whether the peer has said that it moves; nil when it has said nothing.
  var toldMoving: Bool?
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
      PeerPosterior(configuration: configuration.ranging, antennas: antennas, statedNoise: statedNoise))
    watch = LinkWatch(configuration, antennas: antennas, statedNoise: statedNoise)
    rival = WalkRival(
      limit: configuration.walkLimit, restLimit: configuration.standLimit, loudLimit: configuration.loudLimit,
      share: configuration.walkingShare)
    angleDoubt = AngleDoubt(astray: configuration.anglesAstrayShare)
  }

  /// A posterior that knows nothing.
  var fresh: PeerPosterior {
    let fresh = PeerPosterior(configuration: configuration.ranging, antennas: antennas, statedNoise: statedNoise)
    return toldMoving == true ? fresh.walking : fresh
  }

  /// Takes a range in, at the filter's time. `antenna` is its position in the body, metres.
  func take(_ range: RangeMeasurement, antenna: Vector3, filter: any NavigationFilter) {
    record.note(range)
    rangesTaken += 1
    let placed = measured(range, antenna: antenna, filter: filter)
    guard !isRepeated(range, antenna: placed.antenna) else { return record.noteRepetition(range) }
    let seconds = record.noteNews(at: range.timestamp) ?? 0.1
    var lost = filter.accumulatedDrift - drift
    if isTornAway(by: lost, range: range.range, filter) {
      detach(from: filter)
      lost = AccumulatedDrift()
    }
    drift = filter.accumulatedDrift
    aperture.note(
      placed.antenna, seconds: seconds, drift: lost, range: range.range, tellsSide: !placed.cosines.isEmpty,
      tellsHeight: placed.cosines.contains(where: \.tellsHeight))
    angleDoubt.hear(placed, before: belief(at: placed, filter))
    let (foretold, isContradicted) = weigh(range, placed, antenna, lost, filter)
    if let bare = angleDoubt.weigh(
      placed, foretold: LinkWatch.isLost(filter) ? nil : foretold, lost: lost, seconds: seconds, others: rival.evidence)
    {
      return giveUpAngles(for: bare, filter: filter)
    }
    let isRefuted = watch.weighs(placed, foretold: foretold, filter)
    let verdict =
      LinkWatch.isLost(filter) ? .belief : rival.weigh(placed, foretold: foretold, lost: lost, seconds: seconds)
    if verdict == .rival || ((isRefuted || isContradicted) && rival.evidence > watch.evidence) {
      takeOver(filter: filter)
    } else if isRefuted || isContradicted {
      reopen(filter: filter, with: watch.unexplained)
    } else if LinkWatch.isLost(filter) {
      rival.dismiss()
    } else if verdict == .louderRadio {
      expectLouderRadio()
    } else {
      rival.renew(from: challenged(placed, filter: filter), isPlaceKnown: isPlaceKnown)
    }
  }

  /// The hypotheses have been opened anew.
  func noteReopening() { record.reopened += 1 }

  /// Bayes' rule in whichever stage the link is: the logarithm of the density that was foretold for the range, and whether ranges
  /// contradict the state for good.
  private func weigh(
    _ range: RangeMeasurement, _ placed: PeerPosterior.Range, _ antenna: Vector3, _ lost: AccumulatedDrift,
    _ filter: any NavigationFilter
  ) -> (foretold: Double?, isContradicted: Bool) {
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
