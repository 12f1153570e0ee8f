import Estimator
import Foundation
import Geometry
import Ranging
import SensorData

/// The link to one peer: its filter, and the models that may replace it.
final class PeerLink {
  let peer: String
  let configuration: FinderConfiguration
  let antennas: [String]
  let statedNoise: Double?
  let bodyFromDevice: Pose
  /// The incumbent.
  var posterior: PeerFilter
  var drift = AccumulatedDrift()
  /// New ranges since the search started, those that it started with included; duplicates are none.
  var rangesTaken = 0
  /// The models beside the incumbent.
  var bank: ModelBank
  /// Since the search started.
  var poses = PoseHistory()
  /// Of the path since the search started.
  var excitation = PathExcitation()
  var kept: [RangeMeasurement] = []
  /// Where the radio smooths; per antenna id.
  let rangeFilter: RangeFilter?
  var restorers: [String: RangeRestorer] = [:]
  /// Time of the newest range that the filter took.
  private var lastTaken: Timestamp?
  /// Per antenna id.
  var duplicateDetectors: [String: DuplicateRangeDetector] = [:]
  /// Whether the peer reported that it moves; nil without a report.
  var reportedMoving: Bool?
  /// Statistics of the incoming ranges.
  var record = LinkRecord()
  /// What its outputs remember.
  var outputs: OutputHysteresis

  init(
    peer: String, configuration: FinderConfiguration, antennas: [String], statedNoise: Double?, bodyFromDevice: Pose,
    rangeFilter: RangeFilter? = nil, outputs: OutputHysteresis
  ) {
    self.peer = peer
    self.outputs = outputs
    self.rangeFilter = rangeFilter
    self.bodyFromDevice = bodyFromDevice
    self.configuration = configuration
    self.antennas = antennas
    self.statedNoise = statedNoise
    posterior = PeerFilter(configuration: configuration.ranging, antennas: antennas, statedNoise: statedNoise)
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
    let arrived = record.recordNewRange(at: range.timestamp)
    guard restore(&placed, of: range) else { return record.recordHeld(range, isWaiting: !posterior.hasBegun) }
    // Where the radio smooths, not every range is taken.
    let seconds = (rangeFilter == nil ? arrived : lastTaken.map { range.timestamp.seconds(since: $0) }) ?? 0.1
    lastTaken = range.timestamp
    rangesTaken += 1
    if configuration.ranging.posePrior > 0 {
      placed.pose = poses.visit(filter.worldFromBody, by: range.antenna)
    }
    placed.extraVariance += roundingVariance(of: range.antenna)
    var lost = filter.accumulatedDrift - drift
    if isTrajectoryJump(by: lost, range: range.range, filter) {
      detach(from: filter)
      lost = AccumulatedDrift()
    }
    drift = filter.accumulatedDrift
    excitation.add(
      placed.antenna, seconds: seconds, drift: lost, range: range.range, observesSide: !placed.cosines.isEmpty,
      observesHeight: placed.cosines.contains(where: \.observesHeight))
    bank.observeAoA(placed, before: posterior)
    let logPredictiveDensity = update(range, placed, lost, filter)
    let decision = bank.update(
      placed, logPredictiveDensity: logPredictiveDensity, lost: lost, seconds: seconds, drift: drift,
      isTrajectoryLost: filter.isTrajectoryLost)
    apply(decision, placed, filter: filter)
  }

  /// The newest decision of the bank, then the rows that are due.
  private func apply(_ decision: ModelBank.Decision, _ range: PeerFilter.Range, filter: any NavigationFilter) {
    switch decision {
    case .promote(let kind, let posterior): promote(kind, posterior)
    case .restart: restartSearch(filter: filter, with: bank.unexplained)
    case .enlargeNoise: enlargeNoise()
    case .keep:
      guard !filter.isTrajectoryLost else { return bank.forgetMotions() }
      bank.respawn(from: incumbent(range), isDirectionKnown: isDirectionKnown)
    }
  }

  /// Records a restart of the search.
  func recordRestart() { record.restarts += 1 }

  /// Bayes update of the incumbent: the log predictive density of the range; nil where it tells nothing.
  private func update(
    _ range: RangeMeasurement, _ placed: PeerFilter.Range, _ lost: AccumulatedDrift, _ filter: any NavigationFilter
  ) -> Double? {
    if posterior.hasBegun {
      posterior.drift(position: lost.position, yawVariance: lost.yaw, device: filter.worldFromBody.translation)
    }
    guard let outcome = posterior.update(placed) else {
      record.recordHeld(range, isWaiting: !posterior.hasBegun)
      return nil
    }
    poses.remember(placed.range, antenna: placed.antenna, by: range.antenna, losProbability: outcome.losProbability)
    record.recordProcessed(
      range, wasUsed: outcome.losProbability > 0.5, innovation: (outcome.innovation, outcome.sigma),
      losProbability: posterior.losProbability)
    return outcome.isTelling ? outcome.logDensity : nil
  }
}

/// Incoming ranges: kept until there is a trajectory, then placed on it.
extension PeerLink {
  /// Keeps a range that came without a trajectory: until then it gives only a distance.
  func keep(_ range: RangeMeasurement) {
    record.recordRange(range)
    guard !isDuplicate(range, antenna: nil) else { return record.recordDuplicate(range) }
    _ = record.recordNewRange(at: range.timestamp)
    record.recordKept(range)
    var restored = range
    if let rangeFilter {
      guard let value = restorers[range.antenna ?? "", default: RangeRestorer(rangeFilter)].restore(range.range) else {
        return
      }
      restored.range = max(value, 0)
    }
    kept.append(restored)
    kept.removeAll { range.timestamp.seconds(since: $0.timestamp) > 10 }
  }

  /// Whether a range is a duplicate of the previous one; `antenna` is its position in the world, metres, nil where
  /// there is no path.
  func isDuplicate(_ range: RangeMeasurement, antenna: Vector3?) -> Bool {
    duplicateDetectors[range.antenna ?? "", default: DuplicateRangeDetector()].isDuplicate(range, antenna: antenna)
  }

  /// What the rounding of an antenna's ranges adds to their variance, m^2 (`RangeResolution`).
  func roundingVariance(of antenna: String?) -> Double {
    let gain = rangeFilter.map { RangeRestorer($0).roundingGain } ?? 1
    return gain * (duplicateDetectors[antenna ?? ""]?.resolution.variance ?? 0)
  }

  /// Uses the kept ranges at the trajectory's first pose; their noise grows with the distance the hand may have moved
  /// since. While the device was nearly still all ranges count: they inform the noise model and the LOS state. Before
  /// that, the unknown motion is common to neighbours, and one range per half second counts.
  func start(on filter: any NavigationFilter, antenna: (String?) -> Vector3) {
    drift = filter.accumulatedDrift
    let nearlyStillSince = filter.nearlyStillSince ?? filter.time
    let stillSpeed = min(filter.velocitySigma, configuration.handSpeedSigma)
    var next = Timestamp(nanoseconds: .max)
    var chosen: [(range: RangeMeasurement, away: Double)] = []
    for range in kept.reversed() where range.timestamp <= next {
      let still = abs(filter.time.seconds(since: max(range.timestamp, nearlyStillSince)))
      let unknown = max(nearlyStillSince.seconds(since: range.timestamp), 0)
      chosen.append((range, stillSpeed * still + configuration.handSpeedSigma * unknown))
      next = range.timestamp.advanced(bySeconds: unknown > 0 ? -0.5 : 0)
    }
    kept = []
    for (range, away) in chosen.reversed() {
      var placed = worldRange(range, antenna: antenna(range.antenna), filter: filter, extraVariance: away * away)
      placed.extraVariance += roundingVariance(of: range.antenna)
      bank.observeAoA(placed, before: posterior)
      let outcome = posterior.update(placed)
      bank.updateWithoutAoA(
        placed, logPredictiveDensity: outcome?.logDensity, lost: AccumulatedDrift(), seconds: 0)
      record.tally(range.timestamp, wasUsed: outcome.map { $0.losProbability > 0.5 }, isWaiting: !posterior.hasBegun)
      rangesTaken += 1
    }
  }

  func worldRange(
    _ range: RangeMeasurement, antenna: Vector3, filter: any NavigationFilter, extraVariance: Double = 0
  ) -> PeerFilter.Range {
    var placed = PeerFilter.Range(
      timestamp: range.timestamp, range: range.range, antenna: filter.worldFromBody * antenna,
      device: filter.worldFromBody.translation, antennaID: range.antenna, reportedNLOS: range.nonLineOfSight,
      extraVariance: extraVariance)
    placed.isVelocityKnown = filter.isVelocityKnown
    // The position at earlier ranges is known roughly, the orientation is not.
    if extraVariance == 0, !bank.isAoARefuted { placed.cosines = cosines(range, filter: filter) }
    return placed
  }

  /// Restores what a smoothed range says by itself, and where it was measured from; false where it says nothing.
  private func restore(_ placed: inout PeerFilter.Range, of range: RangeMeasurement) -> Bool {
    guard let rangeFilter else { return true }
    let (here, id) = (placed.antenna, range.antenna ?? "")
    placed.antenna = restorers[id, default: RangeRestorer(rangeFilter)].visit(here, at: range.timestamp)
    placed.device = placed.device + (placed.antenna - here)
    guard let value = restorers[id]!.restore(range.range) else { return false }
    placed.range = max(value, 0)
    return true
  }

  /// The AoA that came with a range, as direction cosines.
  private func cosines(_ range: RangeMeasurement, filter: any NavigationFilter) -> [DirectionCosine] {
    let floor = Angle.degrees(configuration.ranging.aoaFloorDegrees)
    return DirectionCosine.measured(
      azimuth: range.azimuth, elevation: range.elevation,
      deviation: max(range.angleStandardDeviation ?? 2 * floor, floor),
      cone: Angle.degrees(configuration.ranging.aoaConeDegrees),
      worldFromDevice: filter.worldFromBody.rotation * bodyFromDevice.rotation)
  }
}

extension PeerFilter {
  /// Expected squared distance to the device, m^2; 0 before the first range.
  func squaredDistance(from filter: any NavigationFilter) -> Double {
    let device = filter.worldFromBody.translation
    return gaussians.reduce(0) { $0 + $1.weight * ($1.position - device).squaredNorm }
  }
}

/// What a link provides without a trajectory: the radio's parameters outlive a lost path.
extension PeerLink {
  /// Parameters of the radio; nil before the first ranges. Cached until the next range.
  var radio: LinkKnowledge? {
    if let known = record.radio, known.ranges == rangesTaken { return known.knowledge }
    guard let knowledge = posterior.linkKnowledge else { return nil }
    record.radio = (knowledge, rangesTaken)
    return knowledge
  }

  /// The distance from the newest range alone; nil before the first.
  ///
  /// - Parameter lever: from the device's origin to the antenna of that range, metres.
  func rangeOnlyDistance(at time: Timestamp, lever: Double) -> RangeOnlyDistance? {
    guard let range = record.lastRange else { return nil }
    let ranging = configuration.ranging
    let radio = radio
    var bias = radio?.bias ?? (mean: ranging.biasMean, variance: ranging.biasPrior * ranging.biasPrior)
    if antennas.count > 1 { bias.variance += ranging.antennaBiasPrior * ranging.antennaBiasPrior }
    return RangeOnlyDistance(
      range: range.range, age: time.seconds(since: range.timestamp), bias: bias,
      noise: radio?.noise ?? range.standardDeviation ?? ranging.assumedNoise, lever: lever,
      nlosProbability: nlosProbability(of: range), peerIsStationary: reportedMoving == false, configuration)
  }

  /// A distance beside the ranges of the last second (`RadioAgreement`); nil where these are too few.
  ///
  /// - Parameters:
  ///   - distance: mean and 1-sigma, metres.
  ///   - lever: from the device's origin to the antenna of the newest range, metres.
  func agreement(
    of distance: (mean: Double, sigma: Double), at time: Timestamp, lever: Double
  ) -> RadioAgreement.Outcome? {
    let ranging = configuration.ranging
    let radio = radio
    return record.agreement.outcome(
      distance, at: time,
      bias: radio?.bias ?? (mean: ranging.biasMean, variance: ranging.biasPrior * ranging.biasPrior),
      noise: radio?.noise ?? record.lastRange?.standardDeviation ?? ranging.assumedNoise, lever: lever)
  }

  /// How the ranges of the last seconds contradict each other (`RadioAgreement`): a share, 0...1, and metres; nil where they are too few.
  func contradiction(at time: Timestamp) -> (share: Double, spread: Double)? {
    record.agreement.contradiction(
      at: time,
      noise: radio?.noise ?? record.lastRange?.standardDeviation ?? configuration.ranging.assumedNoise)
  }

  /// NLOS probability of the newest range: the last processed one, propagated to its time.
  private func nlosProbability(of range: RangeMeasurement) -> Double {
    let ranging = configuration.ranging
    var chain = LineOfSightChain(
      losLossRate: ranging.losLossRate, losReturnRate: ranging.losReturnRate,
      losProbability: record.lastLOS?.probability)
    let seconds = record.lastLOS.map { range.timestamp.seconds(since: $0.time) }
    chain.predict(seconds: seconds ?? 0)
    // A reported NLOS of a processed range is already included, and adds nothing at zero time.
    if let probability = range.nonLineOfSight {
      chain.update(
        ReportedNLOS(probability: probability, seconds: seconds ?? .infinity, rate: ranging.losTransitionRate))
    }
    return 1 - chain.losProbability
  }
}

extension LinkKnowledge {
  /// 1-sigma of a range with known bias, over the noise candidates by their probabilities, metres.
  fileprivate var noise: Double {
    let total = noises.reduce(0) { $0 + $1.probability }
    return (noises.reduce(0) { $0 + $1.probability * $1.noise.total * $1.noise.total } / max(total, 1e-300))
      .squareRoot()
  }
}

extension RigCalibration {
  /// Lever arm from the device's origin to an antenna, metres.
  func leverArm(of antenna: String?) -> Double {
    ((radio?.position(of: antenna) ?? .zero) - bodyFromDevice.translation).norm
  }
}
