import Estimator
import Geometry
import Ranging
import SensorData

/// What a link tells without a trajectory: its radio stays what it is when a path is lost.
extension PeerLink {
  /// What is known of the radio; nil before the first ranges. Asked for with every update while there is no path, and the same until a range is weighed.
  ///
  /// - Parameter filter: that of the belief, wherever it stands; nil where there is none.
  func radio(filter: (any NavigationFilter)?) -> LinkKnowledge? {
    if let known = record.radio, known.ranges == rangesTaken { return known.knowledge }
    let knowledge: LinkKnowledge?
    switch stage {
    case .searching(let posterior): knowledge = posterior.linkKnowledge
    case .tracked(let tracked):
      guard let filter, let last = watch.last else { return nil }
      knowledge = tracked.posterior(last: last, filter: filter).linkKnowledge
    }
    guard let knowledge else { return nil }
    record.radio = (knowledge, rangesTaken)
    return knowledge
  }

  /// The distance that the newest range tells by itself; nil before the first.
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
      blocked: blocked(range), peerStands: reportedMoving == false, configuration)
  }

  /// Probability that the sight of the newest range was blocked: what was known when one was last weighed, faded since.
  private func blocked(_ range: RangeMeasurement) -> Double {
    let ranging = configuration.ranging
    var sight = LineOfSightChain(
      losLossRate: ranging.losLossRate, losReturnRate: ranging.losReturnRate, free: record.sight?.free)
    let seconds = record.sight.map { range.timestamp.seconds(since: $0.time) }
    sight.predict(seconds: seconds ?? 0)
    // A guess that came with a weighed range is in there already, and tells nothing new in no time.
    if let blocked = range.nonLineOfSight {
      sight.update(ReportedNLOS(blocked: blocked, seconds: seconds ?? .infinity, rate: ranging.losTransitionRate))
    }
    return 1 - sight.free
  }
}

extension LinkKnowledge {
  /// 1-sigma of a range, its bias known: the candidates by their shares, metres.
  fileprivate var noise: Double {
    let whole = noises.reduce(0) { $0 + $1.share }
    return (noises.reduce(0) { $0 + $1.share * $1.noise.total * $1.noise.total } / max(whole, 1e-300)).squareRoot()
  }
}

extension RigCalibration {
  /// From the device's origin to an antenna, metres.
  func leverArm(of antenna: String?) -> Double {
    ((radio?.position(of: antenna) ?? .zero) - bodyFromDevice.translation).norm
  }
}
