import Datasets
import PrecisionFinding
import SensorData

/// Options of a run: everything that affects its results.
struct RunOptions {
  /// Source of the filter's initial state.
  enum Initialization: String, CaseIterable {
    case auto, groundtruth
  }

  /// Seconds from the recording's first event; nil is its beginning.
  var from: Double?
  /// Seconds from the recording's first event; nil is its end.
  var to: Double?
  /// The only peer of interest; nil for all.
  var peer: String?
  /// Take the trajectory from `odometry0` even with IMU and camera.
  var forcesOdometry = false
  /// Source of the initial state.
  var initialization = Initialization.auto
  /// Whether ranges are left out: the trajectory is then independent of them.
  var leavesOutRanges = false
  /// Whether the trajectory is smoothed over the whole recording after the forward run.
  var isOffline = false
  /// Whether images are read and decoded on a second thread; does not affect results.
  var readsAhead = true
  /// Whether any damage of the recording ends the run.
  var isStrict = false
  /// The finder's settings.
  var finder = FinderConfiguration()

  /// Whether the finder gets this event.
  func includes(_ event: SensorEvent) -> Bool {
    if case .range = event { !leavesOutRanges } else { true }
  }

  /// The events, in arrival order, that such a run processes.
  func selected(_ events: [TimedEvent]) -> [TimedEvent] {
    guard let first = events.map(\.event.timestamp).min() else { return [] }
    return events.filter { event in
      includes(event.event) && event.event.timestamp.seconds(since: first) >= from ?? 0
        && event.arrival.seconds(since: first) <= to ?? .infinity
    }
  }

  /// Reading options for such a run.
  var reading: ReadingOptions {
    ReadingOptions(
      strict: isStrict, from: from, to: to, peer: peer, usesOdometry: forcesOdometry ? true : nil,
      tracking: .frontEnd(readsAhead: readsAhead))
  }
}
