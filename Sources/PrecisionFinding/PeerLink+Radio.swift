import Estimator
import Geometry
import Ranging
import SensorData

/// What a link provides without a trajectory: the radio's parameters outlive a lost path.
extension PeerLink {
  /// Parameters of the radio; nil before the first ranges. Cached until the next range.
  ///
  /// - Parameter filter: the filter that holds the peer; nil where there is none.
  func radio(filter: (any NavigationFilter)?) -> LinkKnowledge? {
    if let known = record.radio, known.ranges == rangesTaken { return known.knowledge }
    let knowledge: LinkKnowledge?
    switch stage {
    case .searching(let posterior): knowledge = posterior.linkKnowledge
    case .tracked(let tracked):
      guard let filter, let last = bank.last else { return nil }
      knowledge = tracked.posterior(last: last, filter: filter).linkKnowledge
    }
    guard let knowledge else { return nil }
    record.radio = (knowledge, rangesTaken)
    return knowledge
  }

  /// The distance from the newest range alone; nil before the first.
  ///
  /// - Parameters:
  ///   - filter: the trajectory, though it does not reach `time`; nil where there is none.
  ///   - lever: from the device's origin to the antenna of that range, metres.
  func rangeOnlyDistance(at time: Timestamp, filter: (any NavigationFilter)?, lever: Double) -> RangeOnlyDistance? {
    guard let range = record.lastRange else { return nil }
    let ranging = configuration.ranging
    let radio = radio(filter: filter)
    var bias = radio?.bias ?? (mean: 0, variance: ranging.biasPrior * ranging.biasPrior)
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
    of distance: (mean: Double, sigma: Double), at time: Timestamp, filter: (any NavigationFilter)?, lever: Double
  ) -> RadioAgreement.Outcome? {
    let ranging = configuration.ranging
    let radio = radio(filter: filter)
    return record.agreement.outcome(
      distance, at: time, bias: radio?.bias ?? (mean: 0, variance: ranging.biasPrior * ranging.biasPrior),
      noise: radio?.noise ?? record.lastRange?.standardDeviation ?? ranging.assumedNoise, lever: lever)
  }

  /// How the ranges of the last seconds contradict each other (`RadioAgreement`): a share, 0...1, and metres; nil where they are too few.
  func contradiction(at time: Timestamp, filter: (any NavigationFilter)?) -> (share: Double, spread: Double)? {
    record.agreement.contradiction(
      at: time,
      noise: radio(filter: filter)?.noise ?? record.lastRange?.standardDeviation ?? configuration.ranging.assumedNoise)
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
