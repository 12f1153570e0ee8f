import Datasets
import PrecisionFinding
import SensorData

/// A finder at work, with the counts and outcomes that `result.json` reports: the same for the command and the service.
package struct FinderRun {
  /// The finder.
  package let finder: PrecisionFinder
  /// Events of each kind that the finder saw.
  package private(set) var counts = EventCounts()
  /// Outcomes of the peers.
  package private(set) var peers: [String: PeerOutcome] = [:]

  /// A run of a finder that has seen nothing.
  package init(_ finder: PrecisionFinder) { self.finder = finder }

  /// Processes the next event, in arrival order, and returns the outputs that are due.
  package mutating func process(_ event: TimedEvent) -> [FinderOutput] {
    counts.add(event.event)
    return noted(finder.process(event))
  }

  /// Ends the input and returns the outputs that were held back for late data.
  package mutating func finish() -> [FinderOutput] { noted(finder.finish()) }

  private mutating func noted(_ outputs: [FinderOutput]) -> [FinderOutput] {
    for case .update(let update) in outputs { peers[update.object.peer, default: PeerOutcome()].add(update) }
    return outputs
  }
}

/// Options of a run: everything that affects its results.
package struct RunOptions {
  /// Source of the filter's initial state.
  package enum Initialization: String, CaseIterable {
    case auto, groundtruth
  }

  /// Seconds from the recording's first event; nil is its beginning.
  package var from: Double?
  /// Seconds from the recording's first event; nil is its end.
  package var to: Double?
  /// The only peer of interest; nil for all.
  package var peer: String?
  /// Take the trajectory from `odometry0` even with IMU and camera.
  package var forcesOdometry = false
  /// Source of the initial state.
  package var initialization = Initialization.auto
  /// Whether ranges are left out: the trajectory is then independent of them.
  package var leavesOutRanges = false
  /// Whether the trajectory is smoothed over the whole recording after the forward run.
  package var isOffline = false
  /// Whether images are read and decoded on a second thread; does not affect results.
  package var readsAhead = true
  /// Whether any damage of the recording ends the run.
  package var isStrict = false
  /// The finder's settings.
  package var finder = FinderConfiguration()

  /// Whether the finder gets this event.
  package func includes(_ event: SensorEvent) -> Bool {
    if case .range = event { !leavesOutRanges } else { true }
  }

  /// The events, in arrival order, that such a run processes.
  package func selected(_ events: [TimedEvent]) -> [TimedEvent] {
    guard let first = events.map(\.event.timestamp).min() else { return [] }
    return events.filter { event in
      includes(event.event) && event.event.timestamp.seconds(since: first) >= from ?? 0
        && event.arrival.seconds(since: first) <= to ?? .infinity
    }
  }

  /// Options from their parts; the defaults run all of a recording.
  package init(
    from: Double? = nil, to: Double? = nil, peer: String? = nil, forcesOdometry: Bool = false,
    initialization: Initialization = .auto, leavesOutRanges: Bool = false, isOffline: Bool = false,
    readsAhead: Bool = true, isStrict: Bool = false, finder: FinderConfiguration = FinderConfiguration()
  ) {
    self.from = from
    self.to = to
    self.peer = peer
    self.forcesOdometry = forcesOdometry
    self.initialization = initialization
    self.leavesOutRanges = leavesOutRanges
    self.isOffline = isOffline
    self.readsAhead = readsAhead
    self.isStrict = isStrict
    self.finder = finder
  }
}
