import Estimator
import Ranging
import SensorData

/// Watches whether the ranges of a link go on to bear out what is believed of its peer: `CUSUMTest` with `RangeOnlyModel`, the
/// ranges by themselves, as the rival.
struct ConsistencyMonitor {
  /// A range that the belief does not explain, with the trajectory's drift when it came.
  typealias Unexplained = (range: PeerFilter.Range, drift: AccumulatedDrift)

  /// 1-sigma of the velocity from which on the device's own path is lost, m/s: within a second it is off by what radios err by.
  private static let lostVelocity = 0.1
  /// So many unexplained ranges are kept: more than a belief survives.
  private static let memory = 50

  private var alone: RangeOnlyModel
  private var watch: CUSUMTest
  /// The newest range.
  private(set) var last: PeerFilter.Range?
  /// The newest ranges, as many as the belief leaves unexplained.
  private(set) var unexplained: [Unexplained] = []

  init(_ configuration: FinderConfiguration, antennas: [String], statedNoise: Double?) {
    alone = RangeOnlyModel(configuration: configuration.ranging, antennas: antennas, statedNoise: statedNoise)
    watch = CUSUMTest(limit: configuration.restartLogOdds)
  }

  /// Whether the device does not know its own path (darkness): ranges refute that then, and not what is believed of the peer.
  static func isLost(_ filter: any NavigationFilter) -> Bool {
    filter.isPositionLost || filter.velocitySigma >= lostVelocity
  }

  /// Weighs the belief against the ranges alone; true when it is to be given up.
  ///
  /// - Parameter logPredictiveDensity: logarithm of the belief's density; nil where it logPredictiveDensity nothing.
  mutating func weighs(_ range: PeerFilter.Range, logPredictiveDensity: Double?, _ filter: any NavigationFilter) -> Bool {
    let seconds = last.map { range.timestamp.seconds(since: $0.timestamp) } ?? 0.1
    last = range
    guard !Self.isLost(filter) else {
      reset()
      _ = alone.update(range)
      return false
    }
    let refuted = watch.note(belief: logPredictiveDensity, alone: alone.update(range), seconds: seconds)
    unexplained.append((range, filter.accumulatedDrift))
    unexplained.removeFirst(max(unexplained.count - min(watch.unexplained, Self.memory), 0))
    return refuted
  }

  /// Begins anew, with a new belief.
  mutating func reset() {
    watch.reset()
    unexplained = []
  }

  /// Evidence against the belief, natural logarithm of the odds.
  var evidence: Double { watch.evidence }
  /// Probability that the belief is wrong.
  var doubt: Double { watch.doubt }
}
