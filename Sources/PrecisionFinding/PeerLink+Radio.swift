import Estimator
import Geometry
import Ranging
import SensorData

/// What a link tells without a trajectory: its radio stays what it is when a path is lost.
extension PeerLink {
  /// What is known of the radio, by the belief or by the one before, whichever is surer: a bias is constant.
  ///
  /// - Parameter filter: that of the belief, wherever it stands; nil where there is none.
  func radio(filter: (any NavigationFilter)?) -> RadioBelief? {
    if let known = record.radio, known.ranges == rangesTaken { return known.belief }
    let surest = [believedRadio(filter: filter), record.radio?.belief].compactMap(\.self)
      .min { $0.bias.variance < $1.bias.variance }
    record.radio = surest.map { ($0, rangesTaken) }
    return surest
  }

  private func believedRadio(filter: (any NavigationFilter)?) -> RadioBelief? {
    guard let noise else { return nil }
    let bias = LinkLayout(antennas: antennas).bias
    let (mean, covariance): ([Double], [Double])
    switch stage {
    case .searching(let posterior):
      guard let merged = posterior.merged else { return nil }
      (mean, covariance) = (merged.mean, merged.covariance)
    case .tracked(let tracked):
      guard let filter else { return nil }
      let block = tracked.best.block
      (mean, covariance) = (filter.vector(block), filter.covariance.marginal([block]))
    }
    let variance = covariance[bias * (mean.count + 1)]
    // A filter that is given up may hold anything.
    guard mean[bias].isFinite, variance.isFinite, variance >= 0 else { return nil }
    return RadioBelief(bias: (mean[bias], variance), noise: noise)
  }

  /// Leaves a filter that is about to go, or has lost its way: where the peer is goes with it, what the radio is like does not.
  func leave(_ filter: any NavigationFilter) {
    let known = radio(filter: filter)
    detach(from: filter)
    record.radio = known.map { ($0, rangesTaken) }
  }

  /// The distance that the newest range tells by itself; nil before the first.
  ///
  /// - Parameters:
  ///   - filter: the trajectory, though it does not reach `time`; nil where there is none.
  ///   - lever: from the device's origin to the antenna of that range, metres.
  func bareDistance(at time: Timestamp, filter: (any NavigationFilter)?, lever: Double) -> BareDistance? {
    guard let range = record.lastRange else { return nil }
    let ranging = configuration.ranging
    let radio = radio(filter: filter)
    var bias = radio?.bias ?? (mean: 0, variance: ranging.biasPrior * ranging.biasPrior)
    if antennas.count > 1 { bias.variance += ranging.antennaBiasPrior * ranging.antennaBiasPrior }
    return BareDistance(
      range: range.range, age: time.seconds(since: range.timestamp), bias: bias,
      noise: radio?.noise.total ?? range.standardDeviation ?? ranging.assumedNoise, lever: lever,
      blocked: blocked(range), peerStands: toldMoving == false, configuration)
  }

  /// Probability that the sight of the newest range was blocked: what was known when one was last weighed, faded since.
  private func blocked(_ range: RangeMeasurement) -> Double {
    let ranging = configuration.ranging
    var sight = LineOfSightChain(
      blockingRate: ranging.blockingRate, clearingRate: ranging.clearingRate, free: record.sight?.free)
    let seconds = record.sight.map { range.timestamp.seconds(since: $0.time) }
    sight.predict(seconds: seconds ?? 0)
    // A guess that came with a weighed range is in there already, and tells nothing new in no time.
    if let blocked = range.nonLineOfSight {
      sight.update(SightGuess(blocked: blocked, seconds: seconds ?? .infinity, rate: ranging.sightRate))
    }
    return 1 - sight.free
  }
}

extension RigCalibration {
  /// From the device's origin to an antenna, metres.
  func leverArm(of antenna: String?) -> Double {
    ((radio?.position(of: antenna) ?? .zero) - bodyFromDevice.translation).norm
  }
}
