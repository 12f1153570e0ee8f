import Estimator
import Foundation
import Geometry
import Ranging
import SensorData

/// One peer's link through its life: hypotheses while several places are possible, a state of the filter once one is left,
/// hypotheses again when the ranges contradict that state.
final class PeerLink {
  private enum Stage {
    case searching(PeerPosterior)
    case tracked(TrackedPeer)
  }

  let peer: String
  private let configuration: FinderConfiguration
  private let antennas: [String]
  private let statedNoise: Double?
  private let bodyFromDevice: Pose
  private var stage: Stage
  private var drift = AccumulatedDrift()
  private var rangesTaken = 0
  private var alone: DistanceWalk
  private var watch: ContradictionWatch
  private var watched: Timestamp?
  /// The newest ranges with the trajectory's drift at each, as many as the belief leaves unexplained.
  private var unexplained: [(range: PeerPosterior.Range, drift: AccumulatedDrift)] = []
  private var kept: [RangeMeasurement] = []

  /// Whether the peer has said that it moves: then what is known of its place wears off.
  var peerMoves = false
  /// The newest range, whether or not it could be used.
  private(set) var lastRange: RangeMeasurement?
  /// When the first range came.
  private(set) var firstRange: Timestamp?
  /// When a range last moved the estimate.
  private(set) var lastUsed: Timestamp?
  /// Recent arrivals, for the rate; at most two seconds of them.
  private(set) var recent: [Timestamp] = []
  /// Slow mean of the probability that the sight is free.
  private(set) var clearness = 1.0
  /// What became of the newest range.
  private(set) var report: RangeReport?
  private(set) var used = 0
  private(set) var rejected = 0
  /// How often the hypotheses had to be opened anew.
  private(set) var reopened = 0

  init(
    peer: String, configuration: FinderConfiguration, antennas: [String], statedNoise: Double?, bodyFromDevice: Pose
  ) {
    self.peer = peer
    self.bodyFromDevice = bodyFromDevice
    self.configuration = configuration
    self.antennas = antennas
    self.statedNoise = statedNoise
    stage = .searching(Self.fresh(configuration, antennas, statedNoise))
    alone = DistanceWalk(configuration: configuration.ranging, antennas: antennas, statedNoise: statedNoise)
    watch = ContradictionWatch(limit: configuration.contradictionLimit)
  }

  private static func fresh(
    _ configuration: FinderConfiguration, _ antennas: [String], _ statedNoise: Double?
  ) -> PeerPosterior {
    PeerPosterior(configuration: configuration.ranging, antennas: antennas, statedNoise: statedNoise)
  }

  /// Keeps a range that came while there was no trajectory: for now it tells a distance, no more.
  func keep(_ range: RangeMeasurement) {
    note(range)
    report = RangeReport(range: range.range, use: .kept)
    kept.append(range)
    kept.removeAll { range.timestamp.seconds(since: $0.timestamp) > 10 }
  }

  /// Uses the kept ranges at the trajectory's first pose, where the device was not yet far: noise grows with how far a hand
  /// may have moved since. The unknown motion is common to neighbours, so one per half second counts.
  func begin(on filter: any NavigationFilter, antenna: (String?) -> Vector3) {
    drift = filter.accumulatedDrift
    guard case .searching(var posterior) = stage else { return }
    var next = Timestamp(nanoseconds: .max)
    var chosen: [RangeMeasurement] = []
    for range in kept.reversed() where range.timestamp <= next {
      chosen.append(range)
      next = range.timestamp.advanced(bySeconds: -0.5)
    }
    kept = []
    for range in chosen {
      let away = configuration.unseenSpeed * abs(filter.time.seconds(since: range.timestamp))
      posterior.update(measured(range, antenna: antenna(range.antenna), filter: filter, extraVariance: away * away))
      rangesTaken += 1
    }
    stage = .searching(posterior)
  }

  private func measured(
    _ range: RangeMeasurement, antenna: Vector3, filter: any NavigationFilter, extraVariance: Double = 0
  ) -> PeerPosterior.Range {
    var placed = PeerPosterior.Range(
      timestamp: range.timestamp, range: range.range, antenna: filter.worldFromBody * antenna,
      device: filter.worldFromBody.translation, antennaID: range.antenna, blockedGuess: range.nonLineOfSight,
      extraVariance: extraVariance)
    // Where the device stood when earlier ranges came is known roughly, how it was held is not.
    if extraVariance == 0 { placed.cosines = cosines(range, filter: filter) }
    return placed
  }

  /// The angles of arrival that came with a range.
  private func cosines(_ range: RangeMeasurement, filter: any NavigationFilter) -> [AxisCosine] {
    let floor = Angle.degrees(configuration.ranging.angleFloorDegrees)
    return AxisCosine.measured(
      azimuth: range.azimuth, elevation: range.elevation,
      deviation: max(range.angleStandardDeviation ?? 2 * floor, floor),
      cone: Angle.degrees(configuration.ranging.angleConeDegrees),
      worldFromDevice: filter.worldFromBody.rotation * bodyFromDevice.rotation)
  }

  private func note(_ range: RangeMeasurement) {
    if firstRange == nil { firstRange = range.timestamp }
    lastRange = range
    recent.append(range.timestamp)
    recent.removeAll { range.timestamp.seconds(since: $0) > 2 }
  }

  /// Takes a range in, at the filter's time. `antenna` is its position in the body, metres.
  func take(_ range: RangeMeasurement, antenna: Vector3, filter: any NavigationFilter) {
    let walked = peerMoves ? lastRange.map { walk(during: range.timestamp.seconds(since: $0.timestamp)) } ?? 0 : 0
    note(range)
    rangesTaken += 1
    let placed = measured(range, antenna: antenna, filter: filter)
    let free: Double
    let foretold: Double?
    var isContradicted = false
    switch stage {
    case .searching(var posterior):
      // Megabytes of hypotheses: held twice, they would be copied as soon as one is touched.
      stage = .searching(Self.fresh(configuration, antennas, statedNoise))
      let lost = filter.accumulatedDrift - drift
      drift = filter.accumulatedDrift
      // A jump of the trajectory by a good part of the distance leaves nothing of the direction: begin anew. A single gross
      // range must not make the distance small.
      if lost.position > 0.04 * range.range * range.range,
        lost.position > 0.04 * posterior.squaredDistance(from: filter)
      {
        posterior = Self.fresh(configuration, antennas, statedNoise)
      }
      if posterior.hasBegun {
        posterior.drift(
          positionVariance: lost.position + walked, yawVariance: lost.yaw, device: filter.worldFromBody.translation)
      }
      let outcome = posterior.update(placed)
      free = posterior.free
      foretold = outcome?.logDensity
      count(range, outcome.map { $0.free > 0.5 } ?? true, outcome.map { ($0.innovation, $0.sigma) })
      stage = .searching(posterior)
      handOver(filter: filter)
    case .tracked(var tracked):
      let placeOfAntenna = filter.bodyFromNavigation.inverse * antenna
      tracked.wander(variance: walked, filter: filter)
      let outcome = tracked.update(range, antenna: placeOfAntenna, filter: filter)
      free = tracked.chain.free
      for cosine in placed.cosines { tracked.update(cosine, antenna: placeOfAntenna, filter: filter) }
      count(range, outcome == .used, tracked.innovation)
      stage = .tracked(tracked)
      foretold = tracked.logDensity
      isContradicted = outcome == .contradicted
    }
    clearness += 0.1 * (free - clearness)
    if isRefuted(by: placed, foretold, filter) || isContradicted {
      reopen(filter: filter, with: unexplained)
    }
  }

  /// Variance of where a peer that moves gets to in some seconds, m^2 an axis.
  private func walk(during seconds: Double) -> Double {
    configuration.movingPeerWalk * configuration.movingPeerWalk * max(seconds, 0)
  }

  /// Weighs the belief against the ranges alone; true when it is to be given up.
  private func isRefuted(by range: PeerPosterior.Range, _ foretold: Double?, _ filter: any NavigationFilter) -> Bool {
    let seconds = watched.map { range.timestamp.seconds(since: $0) } ?? 0.1
    watched = range.timestamp
    // Where the device itself is lost (darkness), ranges refute its path and not what is believed of the peer.
    guard filter.velocitySigma < Self.lostVelocity else {
      watch.reset()
      unexplained = []
      _ = alone.update(range)
      return false
    }
    let refuted = watch.note(belief: foretold, alone: alone.update(range), seconds: seconds)
    unexplained.append((range, filter.accumulatedDrift))
    unexplained.removeFirst(max(unexplained.count - min(watch.unexplained, Self.memory), 0))
    return refuted
  }

  /// 1-sigma of the velocity from which on the device's own path is lost, m/s: within a second it is off by what radios err by.
  private static let lostVelocity = 0.1
  /// So many unexplained ranges are kept: more than a belief survives.
  private static let memory = 50

  private func count(_ range: RangeMeasurement, _ wasUsed: Bool, _ innovation: (Double, Double)?) {
    report = RangeReport(range: range.range, use: wasUsed ? .used : .rejected, innovation: innovation)
    if wasUsed {
      used += 1
      lastUsed = range.timestamp
    } else {
      rejected += 1
    }
  }

  /// Hands over once a single, narrow mode is left: then the filter's linearisation holds.
  private func handOver(filter: any NavigationFilter) {
    guard case .searching(let posterior) = stage, posterior.hasBegun, rangesTaken >= configuration.handOverRanges else {
      return
    }
    // Seldom: directions that differ by half a radian are no narrow cone, seen from anywhere near.
    guard posterior.agreement > cos(0.5) else { return }
    let belief = Belief(
      worldFromDevice: Pose(rotation: .identity, translation: filter.worldFromBody.translation),
      gaussians: posterior.gaussians)
    let (mean, cone) = belief.direction
    guard cone <= Angle.degrees(configuration.handOverConeDegrees) else { return }
    let limit = cos(Angle.degrees(20))
    let rivals = belief.gaussians.reduce(0.0) { sum, g in
      sum + ((g.position - belief.worldFromDevice.translation).normalized.dot(mean) < limit ? g.weight : 0)
    }
    guard rivals < 1e-4 else { return }
    guard
      let tracked = TrackedPeer(
        posterior, filter: filter, configuration: configuration.ranging, antennas: antennas)
    else { return }
    stage = .tracked(tracked)
  }

  /// Every direction is possible again; `ranges` are what the new hypotheses know.
  private func reopen(
    filter: any NavigationFilter, with ranges: [(range: PeerPosterior.Range, drift: AccumulatedDrift)]
  ) {
    if case .tracked(let tracked) = stage { tracked.remove(from: filter) }
    var posterior = Self.fresh(configuration, antennas, statedNoise)
    drift = ranges.first?.drift ?? filter.accumulatedDrift
    for (range, then) in ranges {
      let lost = then - drift
      drift = then
      posterior.drift(positionVariance: lost.position, yawVariance: lost.yaw, device: range.device)
      posterior.update(range)
    }
    stage = .searching(posterior)
    rangesTaken = ranges.count
    reopened += 1
    watch.reset()
    unexplained = []
  }

  /// Gives the peer up as a state of `filter`, which is about to go: what is known is lost but the link lives on.
  func detach(from filter: any NavigationFilter) { reopen(filter: filter, with: []) }

  /// Probability that what is believed is wrong, by what the latest ranges say against it, 0...1.
  var doubt: Double { watch.doubt }

  /// True when the peer is a state of the filter.
  var isTracked: Bool {
    if case .tracked = stage { return true }
    return false
  }

  /// Number of hypotheses alive; 1 when tracked.
  var hypotheses: Int {
    switch stage {
    case .searching(let posterior): posterior.count
    case .tracked: 1
    }
  }

  /// Probability that the last range's sight was free.
  var free: Double {
    switch stage {
    case .searching(let posterior): posterior.free
    case .tracked(let tracked): tracked.chain.free
    }
  }

  /// The link's noise as it is seen now; nil before the first ranges.
  var noise: RangeNoise? {
    switch stage {
    case .searching(let posterior): posterior.noise
    case .tracked(let tracked): tracked.noise
    }
  }

  private var axes: Double { Angle.degrees(configuration.axesUncertaintyDegrees) }

  /// What is believed of the peer as seen from the device now; nil before there is anything.
  func belief(filter: any NavigationFilter, worldFromDevice: Pose) -> Belief? {
    switch stage {
    case .searching(let posterior):
      guard posterior.hasBegun else { return nil }
      return Belief(
        worldFromDevice: worldFromDevice, gaussians: posterior.gaussians, axesUncertainty: axes, doubt: doubt)
    case .tracked(let tracked):
      return Belief(
        worldFromDevice: worldFromDevice,
        gaussians: [tracked.gaussian(filter: filter, origin: worldFromDevice.translation)], axesUncertainty: axes,
        doubt: doubt)
    }
  }

  /// What the device's own uncertainty adds to the peer's position in the estimate's world.
  func worldCovariance(of belief: Belief, filter: any NavigationFilter) -> Matrix3 {
    switch stage {
    case .tracked(let tracked): return tracked.worldCovariance(filter: filter)
    case .searching:
      let position = belief.position
      let d = position.mean - filter.worldFromNavigation.translation
      let turn = Vector3(0, 0, 1).cross(d)
      let width = filter.covariance.size(of: filter.poseBlock)
      let p = filter.covariance.marginal([filter.poseBlock])
      var pose = Matrix3.zero
      for r in 0..<3 {
        for c in 0..<3 {
          pose[r, c] =
            p[(3 + r) * width + 3 + c] + turn[r] * p[2 * width + 3 + c] + p[(3 + r) * width + 2] * turn[c]
            + turn[r] * p[2 * width + 2] * turn[c]
        }
      }
      return position.covariance + pose
    }
  }
}

extension PeerPosterior {
  /// Square of the distance to the device, expected, m^2; 0 before the first range.
  fileprivate func squaredDistance(from filter: any NavigationFilter) -> Double {
    let device = filter.worldFromBody.translation
    return gaussians.reduce(0) { $0 + $1.weight * ($1.position - device).squaredNorm }
  }
}
