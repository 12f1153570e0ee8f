import Estimator
import Ranging
import SensorData

/// Monitors whether the ranges of a link stay consistent with its incumbent: `PageCUSUM` against `RangeOnlyModel`.
struct ConsistencyMonitor {
  /// A range that the incumbent does not explain, with the accumulated drift at its time.
  typealias Unexplained = (range: PeerFilter.Range, drift: AccumulatedDrift)

  /// 1-sigma of the velocity from which on the trajectory is lost, m/s: within 1 s it errs by as much as a radio.
  private static let lostVelocity = 0.1
  /// Most unexplained ranges that are kept: more than an incumbent survives.
  private static let memory = 50

  private var rangeOnlyModel: RangeOnlyModel
  private var cusum: PageCUSUM
  /// The newest range.
  private(set) var last: PeerFilter.Range?
  /// The newest ranges, as many as the incumbent leaves unexplained.
  private(set) var unexplained: [Unexplained] = []

  init(_ configuration: FinderConfiguration, antennas: [String], statedNoise: Double?) {
    rangeOnlyModel = RangeOnlyModel(configuration: configuration.ranging, antennas: antennas, statedNoise: statedNoise)
    cusum = PageCUSUM(limit: configuration.restartLogOdds)
  }

  /// Whether the trajectory is lost (darkness): then ranges contradict it, not the incumbent.
  static func isTrajectoryLost(_ filter: any NavigationFilter) -> Bool {
    filter.isPositionLost || filter.velocitySigma >= lostVelocity
  }

  /// Updates the test with a range; true when the incumbent is rejected.
  ///
  /// - Parameter logPredictiveDensity: the incumbent's; nil where it predicts none.
  mutating func update(
    _ range: PeerFilter.Range, logPredictiveDensity: Double?, _ filter: any NavigationFilter
  ) -> Bool {
    let seconds = last.map { range.timestamp.seconds(since: $0.timestamp) } ?? 0.1
    last = range
    guard !Self.isTrajectoryLost(filter) else {
      reset()
      _ = rangeOnlyModel.update(range)
      return false
    }
    let refuted = cusum.update(
      incumbent: logPredictiveDensity, alternative: rangeOnlyModel.update(range), seconds: seconds)
    unexplained.append((range, filter.accumulatedDrift))
    unexplained.removeFirst(max(unexplained.count - min(cusum.unexplained, Self.memory), 0))
    return refuted
  }

  /// Restarts with a new incumbent.
  mutating func reset() {
    cusum.reset()
    unexplained = []
  }

  /// Cumulative log likelihood ratio against the incumbent.
  var logLikelihoodRatio: Double { cusum.logLikelihoodRatio }
  /// Probability that the incumbent is wrong.
  var contradictionProbability: Double { cusum.contradictionProbability }
}
