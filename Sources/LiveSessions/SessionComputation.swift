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
    var text = JSONWriter()
    text.pretty(document.json)
    text.raw("\n")
    return text.bytes
  }
}
