import Datasets
import EventLines
import Foundation
import JSONText
import PrecisionFinding
import RunResults
import SensorData

/// What a session is while it is computed: its finder, and the files of its results. Used by one thread at a time; gone
/// while the session rests for long, and when it is over.
final class SessionComputation {
  /// What is in the files of results, which the same batches make again.
  struct Written {
    /// Bytes of the trajectory.
    var trajectory = 0
  }

  private let setup: SessionSetup
  private let updates: UpdateStore
  private var run: FinderRun
  private(set) var admission: EventAdmission
  private var json = JSONWriter()
  private var trajectory: TrajectoryStore
  private var firstTimestamp: Timestamp?
  private var updateCount = 0
  private var hasEnded = false

  /// A finder that has seen nothing; `written` says what is in the files already.
  init(
    _ setup: SessionSetup, folder: String, updates: UpdateStore, written: Written, directions: DirectionObserver
  ) throws(LogError) {
    self.setup = setup
    self.updates = updates
    let usesOdometry = setup.header.trajectory == .odometry
    admission = EventAdmission(rig: setup.header.rig, usesOdometry: usesOdometry)
    run = FinderRun(
      PrecisionFinder(rig: setup.header.rig, configuration: setup.configuration, useOdometry: usesOdometry))
    run.finder.attach(directions)
    trajectory = try TrajectoryStore(path: "\(folder)/trajectory.tum", written: written.trajectory)
    try updates.beginWriting()
  }

  deinit { updates.endWriting() }

  /// What is in the files.
  var written: Written { Written(trajectory: trajectory.size) }

  /// Processes a batch, without showing what came of it. Returns the number of updates.
  func process(_ batch: EventBatch) -> Int {
    let before = updateCount
    var events: [TimedEvent] = []
    for parsed in batch.events { admission.admit(parsed, into: &events) }
    enter(events)
    return updateCount - before
  }

  private func enter(_ events: [TimedEvent]) {
    for event in events {
      if firstTimestamp == nil, event.event.stream != .event { firstTimestamp = event.event.timestamp }
      emit(run.process(event))
    }
  }

  private func emit(_ outputs: [FinderOutput]) {
    for output in outputs {
      if let record = UpdateRecord(output) {
        json.removeAll()
        record.write(to: &json)
        updates.add(json.bytes)
        updateCount += 1
      } else if case .pose(let time, let pose, _) = output {
        trajectory.add(time, pose)
      }
    }
  }

  /// Shows readers what came; returns the updates' indices.
  func publish(_ arrival: Int64) throws(LogError) -> Range<Int> {
    let range = try updates.publish(arrival: arrival, now: LiveSession.now())
    try trajectory.flush()
    return range
  }

  /// Ends the input: what was held back for late data comes.
  func finish() {
    var events: [TimedEvent] = []
    admission.finish(into: &events)
    enter(events)
    emit(run.finish())
    hasEnded = true
  }

  /// Writes the files to disk.
  func sync() {
    updates.sync()
    trajectory.sync()
  }

  /// Whether the set-up holds, as far as is known.
  var verdict: RunVerdict {
    RunVerdict(
      diagnoses: run.finder.diagnoses, summary: run.finder.summary, peers: run.peers, hasEnded: hasEnded)
  }

  /// The document of results so far.
  func document() -> [UInt8] {
    let damage = LineStream.allCases.sorted().compactMap { stream in
      admission.rows[stream].map {
        FileDamage(path: stream.rawValue, rows: $0, counts: admission.damage[stream] ?? [:])
      }
    }
    let document = ResultDocument(
      title: nil, start: firstTimestamp ?? Timestamp(nanoseconds: 0),
      trajectorySource: setup.header.trajectory == .odometry ? .odometry : .imuAndCamera,
      options: RunOptions(finder: setup.configuration), digest: nil, counts: run.counts, damage: damage,
      summary: run.finder.summary, diagnoses: run.finder.diagnoses, calibration: run.finder.calibration,
      peers: run.peers,
      written: (updateCount, trajectory.count), nonFinite: json.nonFiniteCount + trajectory.nonFinite, errors: nil,
      hasEnded: hasEnded)
    return document.json.prettyBytes + [0x0A]
  }
}

/// Keeps where each peer may be, while it has no angle yet, and which way the device points: for the page's ring and
/// map. Changes nothing.
///
/// Works only while somebody looks, at most five times a second of event time and peer.
final class DirectionObserver: ExplanationObserver, @unchecked Sendable {
  private let lock = NSLock()
  private var watchers = 0
  private var last: [String: Timestamp] = [:]
  private var newest: [String: (number: Int, line: [UInt8])] = [:]
  private var number = 0

  func wants(_ peer: String, at time: Timestamp) -> Bool {
    lock.withLock {
      guard watchers > 0 else { return false }
      if let before = last[peer], time.seconds(since: before) < 0.2 { return false }
      last[peer] = time
      return true
    }
  }

  func observe(_ explanation: Explanation) {
    let object = explanation.update.object
    var modes: [JSONValue] = []
    if object.horizontalAngle == nil {
      modes = explanation.modes.map { mode in
        [
          "angle": .number(mode.horizontalAngle), "elevation": .number(mode.elevation),
          "probability": .number(mode.probability), "std": .number(mode.sideways), "distance": .number(mode.distance),
          "direction": .array([mode.direction.x, mode.direction.y, mode.direction.z].map { .number($0) }),
        ]
      }
    }
    let json: JSONValue = [
      "timestamp": .integer(Int(explanation.update.timestamp.nanoseconds)), "peer": .string(object.peer),
      "ahead": .number(Self.ahead(explanation.modes)), "modes": .array(modes),
    ]
    lock.withLock {
      number += 1
      newest[object.peer] = (number, json.bytes)
    }
  }

  /// Azimuth of straight ahead in the estimate's world, radians from x towards y, within (-pi, pi]; nil where no mode
  /// tells it: none is there, or all are overhead or underfoot.
  ///
  /// A mode has its direction in the world and its angle from straight ahead: their sum. The most level one says it best.
  private static func ahead(_ modes: [PosteriorMode]) -> Double? {
    guard let mode = modes.min(by: { abs($0.elevation) < abs($1.elevation) }), abs(mode.elevation) < 1.4 else {
      return nil
    }
    let azimuth = atan2(mode.direction.y, mode.direction.x) + mode.horizontalAngle
    return atan2(sin(azimuth), cos(azimuth))
  }

  /// Somebody looks, or no longer.
  func watch(_ change: Int) { lock.withLock { watchers += change } }

  /// The newest line of each peer behind `seen`, and the newest number.
  func lines(after seen: Int) -> (lines: [[UInt8]], newest: Int) {
    lock.withLock {
      (newest.values.filter { $0.number > seen }.sorted { $0.number < $1.number }.map(\.line), number)
    }
  }
}

extension LiveSession {
  /// Somebody looks at the directions, or no longer.
  package func watchDirections(_ isWatching: Bool) { directions.watch(isWatching ? 1 : -1) }

  /// The newest directions of each peer behind a number, and the newest number.
  package func directions(after seen: Int) -> (lines: [[UInt8]], newest: Int) { directions.lines(after: seen) }
}
