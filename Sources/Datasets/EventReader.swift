import SensorData

/// Reads all streams of a recording as one, in order of arrival, in bounded memory.
///
/// Ties of arrival go by timestamp, then by `SensorEvent.rank`, then by camera; rows of one file keep their order.
package final class EventReader {
  private let streams: [any EventStream]
  private var heads: [TimedEvent?] = []
  private let selection: EventSelection
  private var failure: DatasetError?
  /// Whether an event arrived after `ReadingOptions.to`: then the recording continues after the end of the reading.
  package private(set) var stoppedEarly = false

  /// Opens the streams of a recording; called by `Recording.events()`.
  init(_ recording: Recording) throws(DatasetError) {
    let options = recording.options
    streams = try EventStreams.open(
      recording.layout, rig: recording.rig, readsOdometry: recording.readsOdometry,
      tracking: recording.trajectorySource == .odometry ? nil : options.tracking, isStrict: options.strict)
    selection = EventSelection(
      from: options.from, to: options.to, peer: options.peer, first: recording.firstTimestamp)
  }

  /// The next event; nil at the end, or after the last arrival up to `ReadingOptions.to`.
  ///
  /// - Throws: `DatasetError` for damage beyond the limit; then every further call throws the same.
  package func next() throws(DatasetError) -> TimedEvent? {
    if let failure { throw failure }
    do throws(DatasetError) {
      return try nextWanted()
    } catch {
      failure = error
      throw error
    }
  }

  private func nextWanted() throws(DatasetError) -> TimedEvent? {
    if heads.isEmpty { for stream in streams { heads.append(try stream.next()) } }
    while let event = try earliest() {
      if selection.isOver(at: event) { stoppedEarly = true }
      if stoppedEarly { return nil }
      if selection.includes(event.event) { return event }
    }
    return nil
  }

  /// Rows read and skipped so far, per file, sorted by path.
  package var damage: [FileDamage] { streams.flatMap(\.damage).sorted { $0.path < $1.path } }

  private func earliest() throws(DatasetError) -> TimedEvent? {
    var best = -1
    for index in heads.indices {
      guard let head = heads[index] else { continue }
      if best < 0 || Self.precedes(head, heads[best]!) { best = index }
    }
    guard best >= 0, !stoppedEarly else { return nil }
    let event = heads[best]
    heads[best] = try streams[best].next()
    return event
  }

  /// Strict order; equals stay in the order of the streams.
  private static func precedes(_ a: TimedEvent, _ b: TimedEvent) -> Bool {
    if a.arrival != b.arrival { return a.arrival < b.arrival }
    let (first, second) = (a.event.timestamp, b.event.timestamp)
    if first != second { return first < second }
    return a.event.rank < b.event.rank
  }
}

/// Which events of a recording or a stream a run is to see.
package struct EventSelection: Sendable {
  private let peer: String?
  private let start: Timestamp
  private let stop: Timestamp

  /// A selection by seconds after `first`, the first stamp over all sensors; nil: no limit, all peers.
  package init(from: Double?, to: Double?, peer: String?, first: Timestamp) {
    self.peer = peer
    start = Self.instant(from, after: first) ?? Timestamp(nanoseconds: .min)
    stop = Self.instant(to, after: first) ?? Timestamp(nanoseconds: .max)
  }

  /// Whether the reading ends before this event: it arrived too late.
  package func isOver(at event: TimedEvent) -> Bool { event.arrival > stop }

  /// Whether an event is wanted. Measurements before `from` are left out, whenever they arrive.
  package func includes(_ event: SensorEvent) -> Bool {
    guard event.timestamp >= start else { return false }
    guard let peer else { return true }
    switch event {
    case .range(let range): return range.peer == peer
    case .device(let device): return device.peer == nil || device.peer == peer
    default: return true
    }
  }

  /// Seconds after the first stamp; clamped to the clock's range.
  private static func instant(_ seconds: Double?, after first: Timestamp) -> Timestamp? {
    guard let seconds, !seconds.isNaN else { return nil }
    return first.advanced(bySeconds: min(max(seconds, -4e9), 4e9))
  }
}

/// Options of reading a recording.
package struct ReadingOptions: Sendable {
  /// Every bad row ends the reading.
  package var strict: Bool
  /// Leave out measurements and arrivals before this; seconds from the recording's first timestamp.
  package var from: Double?
  /// Stop at the first arrival after this; seconds from the recording's first timestamp.
  package var to: Double?
  /// Only this peer's ranges and events.
  package var peer: String?
  /// Where the trajectory comes from: true odometry, false IMU and camera, nil the rule (IMU and camera where cam0
  /// has frames at 4 Hz or more).
  package var usesOdometry: Bool?
  /// Whether a recording without sensors for a trajectory is an error; false for inspection.
  package var needsTrajectory: Bool
  /// Tracking of images; nil: images are not read.
  package var tracking: ImageTrackingOptions?

  /// The defaults: all of it, by the rule, bad rows counted.
  package init(
    strict: Bool = false, from: Double? = nil, to: Double? = nil, peer: String? = nil, usesOdometry: Bool? = nil,
    needsTrajectory: Bool = true, tracking: ImageTrackingOptions? = nil
  ) {
    self.strict = strict
    self.from = from
    self.to = to
    self.peer = peer
    self.usesOdometry = usesOdometry
    self.needsTrajectory = needsTrajectory
    self.tracking = tracking
  }
}

/// Source of the trajectory.
package enum TrajectorySource: String, Equatable, Sendable {
  /// The estimator, from IMU and camera.
  case imuAndCamera
  /// External odometry.
  case odometry
}
