import Datasets
import Evaluation
import EventLines
import Foundation
import FuseCaptureFormat
import JSONText
import PrecisionFinding
import Premises
import RunResults
import SensorData

/// What a run reads: a recording's folder, or a stream of event lines.
protocol RunInput: AnyObject {
  /// The device.
  var rig: RigCalibration { get }
  /// Where the trajectory comes from.
  var trajectorySource: TrajectorySource? { get }
  /// The recording's title.
  var title: String? { get }
  /// Absolute path of the recording's folder; nil for a stream.
  var path: String? { get }
  /// First stamp over all sensors.
  var firstTimestamp: Timestamp { get }
  /// Seconds from the first stamp to the last; nil where it is not known yet.
  var length: Double? { get }
  /// Whether the next event is at hand, without waiting.
  var isReady: Bool { get }
  /// The next event, in order of arrival; nil at the end.
  func next() throws -> TimedEvent?
  /// Whether there are events behind the end of the reading.
  var stoppedEarly: Bool { get }
  /// Rows read and skipped.
  var damage: [FileDamage] { get }
  /// Returns warnings that were not yet taken.
  func takeWarnings() -> [String]
}

/// A recording's folder.
final class FolderInput: RunInput {
  let recording: Recording
  private let events: EventReader
  private var warnings: [String]
  let path: String?
  let length: Double?

  /// Opens a folder.
  init(_ recording: Recording) throws {
    self.recording = recording
    path = recording.path
    length = try recording.lastTimestamp().seconds(since: recording.firstTimestamp)
    events = try recording.events()
    warnings = recording.warnings
  }

  var rig: RigCalibration { recording.rig }
  var trajectorySource: TrajectorySource? { recording.trajectorySource }
  var title: String? { recording.metadata.title }
  var firstTimestamp: Timestamp { recording.firstTimestamp }
  var isReady: Bool { true }
  func next() throws -> TimedEvent? { try events.next() }
  var stoppedEarly: Bool { events.stoppedEarly }
  var damage: [FileDamage] { events.damage }

  func takeWarnings() -> [String] {
    defer { warnings = [] }
    return warnings
  }
}

/// Event lines from standard input: `fuse run -`.
final class StreamInput: RunInput {
  /// What messages call it.
  static let name = "standard input"

  private let options: RunOptions
  private var splitter = LineSplitter()
  private var reader = StreamReader(source: StreamInput.name)
  private var queue: [TimedEvent] = []
  private var taken = 0
  private var isAtEnd = false
  private var selection: EventSelection?
  private var ownWarnings: [String] = []
  private let header: StreamHeader
  private(set) var firstTimestamp = Timestamp(nanoseconds: 0)
  private(set) var stoppedEarly = false
  private var newest = Timestamp(nanoseconds: .min)

  /// Reads up to the first measurement.
  init(options: RunOptions) throws {
    self.options = options
    var reader = self.reader
    var splitter = self.splitter
    var queue: [TimedEvent] = []
    var isAtEnd = false
    // Device events have no part in the first stamp, as in recordings.
    func measured() -> TimedEvent? { queue.first { if case .device = $0.event { false } else { true } } }
    while measured() == nil, !isAtEnd { isAtEnd = try !Self.read(&splitter, &reader, into: &queue) }
    guard let header = reader.header else {
      throw DatasetError(file: Self.name, line: 1, found: "no line", expected: "the header of a stream")
    }
    guard let first = measured() else {
      throw DatasetError(file: Self.name, found: "a header and no measurements", expected: "event lines")
    }
    self.header = header
    (self.reader, self.splitter, self.queue, self.isAtEnd) = (reader, splitter, queue, isAtEnd)
    firstTimestamp = first.event.timestamp
    selection = EventSelection(from: options.from, to: options.to, peer: options.peer, first: firstTimestamp)
  }

  var rig: RigCalibration { header.rig }
  var trajectorySource: TrajectorySource? { header.trajectory == .odometry ? .odometry : .imuAndCamera }
  var title: String? { nil }
  var path: String? { nil }
  var length: Double? { newest > firstTimestamp ? newest.seconds(since: firstTimestamp) : nil }
  var isReady: Bool { taken < queue.count || isAtEnd }

  func next() throws -> TimedEvent? {
    while !stoppedEarly {
      if taken == queue.count {
        queue.removeAll(keepingCapacity: true)
        taken = 0
        if isAtEnd { break }
        isAtEnd = try !Self.read(&splitter, &reader, into: &queue)
        if options.isStrict, let bad = damage.first(where: { $0.total > 0 }) {
          throw DatasetError(
            file: Self.name, line: reader.line, found: "a damaged measurement (\(bad.path): \(bad.counts.keys.first!))",
            expected: "none, as --strict was given")
        }
        continue
      }
      let event = queue[taken]
      taken += 1
      newest = max(newest, event.event.timestamp)
      if selection!.isOver(at: event) {
        stoppedEarly = true
      } else if selection!.includes(event.event) {
        return event
      }
    }
    // What was read of a stream without its last line is a part: what later lines could change is held back.
    if !stoppedEarly, !reader.hasEnded {
      stoppedEarly = true
      ownWarnings.append("\(Self.name): no line {\"end\":{}}: what was read is a part of a stream")
    }
    return nil
  }

  var damage: [FileDamage] {
    guard let admission = reader.admission else { return [] }
    return LineStream.allCases.sorted().compactMap { stream in
      admission.rows[stream].map {
        FileDamage(path: stream.rawValue, rows: $0, counts: admission.damage[stream] ?? [:])
      }
    }
  }

  func takeWarnings() -> [String] {
    defer { ownWarnings = [] }
    return reader.takeWarnings() + ownWarnings
  }

  /// Reads lines until there are events, or none are at hand; false at the end of the stream.
  private static func read(
    _ splitter: inout LineSplitter, _ reader: inout StreamReader, into queue: inout [TimedEvent]
  ) throws -> Bool {
    do {
      while queue.isEmpty {
        guard try splitter.next({ try reader.read($0, into: &queue) }) else { break }
      }
      guard queue.isEmpty else { return true }
      return try withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 8) { room in
        var count = Foundation.read(STDIN_FILENO, room.baseAddress, room.count)
        while count < 0, errno == EINTR { count = Foundation.read(STDIN_FILENO, room.baseAddress, room.count) }
        guard count >= 0 else {
          throw CommandError("\(name): cannot be read: \(String(cString: strerror(errno)))")
        }
        if count == 0 {
          try splitter.finish { try reader.read($0, into: &queue) }
          reader.finish(into: &queue)
          return false
        }
        splitter.append(UnsafeRawBufferPointer(rebasing: room[..<count]))
        return true
      }
    } catch let fault as TextFault {
      throw StreamFault(source: name, line: reader.line + 1, fault: fault)
    }
  }
}

/// The ground truth of a recording, in memory: for the judge, and for the initial state if requested.
struct TruthReading {
  /// True states, in the file's order.
  private(set) var states: [GroundTruthState] = []
  /// True positions of peers, in the file's order.
  private(set) var peers: [GroundTruthPeer] = []
  /// Rows read and skipped.
  private(set) var damage: [FileDamage] = []

  /// Ground truth given in memory.
  init(states: [GroundTruthState], peers: [GroundTruthPeer]) {
    self.states = states
    self.peers = peers
  }

  /// Reads all of it; empty where there is none.
  init(_ recording: Recording) throws {
    if let reader = try recording.groundTruthStates() {
      while let row = try reader.next() { states.append(row) }
      damage.append(reader.damage)
    }
    if let reader = try recording.groundTruthPeers() {
      while let row = try reader.next() { peers.append(row) }
      damage.append(reader.damage)
    }
  }

  /// The same states with other peers.
  func with(peers: [GroundTruthPeer]) -> TruthReading {
    var copy = self
    copy.peers = peers
    return copy
  }

  /// A judge; nil without ground truth. `sharesWorld`: the run is initialised from the truth, in its world.
  func judge(_ rig: RigCalibration, sharesWorld: Bool) -> Judge? {
    guard !states.isEmpty else { return nil }
    return Judge(
      truth: TruthTrajectory(states), peers: TruthPeers(peers), bodyFromDevice: rig.bodyFromDevice,
      sharesWorld: sharesWorld)
  }

  /// A test of the truth against the sensors; nil without ground truth.
  ///
  /// - Parameter rig: the recording's, or one with another radio.
  func test(_ recording: Recording, rig: RigCalibration) throws -> TruthConsistency? {
    guard let first = states.map(\.timestamp).min(), let last = states.map(\.timestamp).max() else { return nil }
    let (trajectory, peers) = (TruthTrajectory(states), TruthPeers(peers))
    let end = max(recording.firstTimestamp, try recording.lastTimestamp())
    return TruthConsistency(
      rig: rig, truth: first...last, recording: recording.firstTimestamp...end,
      worldFromBody: { trajectory.worldFromBody(at: $0) }, peerPosition: { peers.position(of: $0, at: $1) })
  }

  /// The first true state at or after the first of some events; nil where there is none.
  func firstState(from events: [TimedEvent]) -> GroundTruthState? {
    guard let first = events.first else { return nil }
    return states.first { $0.timestamp >= first.event.timestamp }
  }

  /// The first true state at or after the run's first inertial sample.
  func firstState(of recording: Recording) throws -> GroundTruthState {
    let reader = try recording.events()
    while let event = try reader.next() {
      guard case .imu(let sample) = event.event else { continue }
      if let state = states.first(where: { $0.timestamp >= sample.timestamp }) { return state }
      break
    }
    throw CommandError("--initialize groundtruth: no true state at or after the first IMU sample")
  }
}
