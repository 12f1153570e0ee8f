import Datasets
import PrecisionFinding
import SensorData

/// What a run was asked for: everything that may change its results.
struct RunOptions {
  /// Where the filter's first state comes from.
  enum Initialization: String, CaseIterable {
    case auto, groundtruth
  }

  /// Seconds from the recording's first event; nil is its beginning.
  var from: Double?
  /// Seconds from the recording's first event; nil is its end.
  var to: Double?
  /// The only peer of interest; nil for all.
  var peer: String?
  /// Take the trajectory from `odometry0` even where IMU and camera could make one.
  var forcesOdometry = false
  /// Where the first state comes from.
  var initialization = Initialization.auto
  /// Whether ranges are left out, so that the trajectory is the device's own.
  var leavesOutRanges = false
  /// Whether the trajectory is made anew from the whole recording once the forward run is done.
  var isOffline = false
  /// Whether images are read and decoded on a second thread; changes no result.
  var readsAhead = true
  /// Whether any damage of the recording ends the run.
  var isStrict = false
  /// The finder's settings.
  var finder = FinderConfiguration()

  /// Whether the finder is told of it.
  func takes(_ event: SensorEvent) -> Bool {
    if case .range = event { !leavesOutRanges } else { true }
  }

  /// Those of some events, in arrival order, that such a run takes in.
  func cut(_ events: [TimedEvent]) -> [TimedEvent] {
    guard let first = events.map(\.event.timestamp).min() else { return [] }
    return events.filter { event in
      takes(event.event) && event.event.timestamp.seconds(since: first) >= from ?? 0
        && event.arrival.seconds(since: first) <= to ?? .infinity
    }
  }

  /// How a recording is read for such a run.
  var reading: ReadingOptions {
    ReadingOptions(
      strict: isStrict, from: from, to: to, peer: peer, usesOdometry: forcesOdometry ? true : nil,
      tracking: .frontEnd(readsAhead: readsAhead))
  }
}
