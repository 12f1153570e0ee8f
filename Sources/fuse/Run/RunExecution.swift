import Datasets
import Dispatch
import Estimator
import Evaluation
import Foundation
import Geometry
import Importing
import JSONText
import PrecisionFinding
import RunResults
import SensorData
import Smoothing
import Wording

/// A run from a recording's folder, or a stream, to a result folder.
struct RunExecution {
  /// The recording's folder; "-" for event lines on standard input.
  var folder: String
  /// The result's folder.
  var output: String
  /// Options that affect the results.
  var options: RunOptions
  /// Format of stdout.
  var format: RunPipeline.Format
  /// No story, no progress.
  var isQuiet: Bool

  /// Runs; an error leaves an older result as it was.
  func run() throws {
    let began = DispatchTime.now().uptimeNanoseconds
    let input: any RunInput
    var recording: Recording?
    if folder == "-" {
      input = try StreamInput(options: options)
    } else {
      recording = try Recording.open(URL(fileURLWithPath: folder), options: options.reading)
      input = try FolderInput(recording!)
      if let shipped = ShippedRecording.folder(named: folder), !isQuiet {
        StandardError.line("\(folder): no such folder here, the recording that came with fuse: \(shipped)")
      }
    }
    let clocks = try recording?.spans().findings ?? []
    warn(clocks.map(\.words))
    let truth = try recording.map { try TruthReading($0) } ?? TruthReading(states: [], peers: [])
    let digest = try recording.map { try InputDigest($0) }
    let finder = try finder(for: input, recording, truth: truth)
    let offline = offlineTrajectory(finder, input)
    let files = try OutputFolder(path: output, inputs: recording?.inputPaths ?? [])
    let start = input.firstTimestamp
    var pipeline = RunPipeline(
      finder: finder, output: files,
      judge: truth.judge(
        input.rig,
        sharesWorld: options.initialization == .groundtruth && input.trajectorySource == .imuAndCamera),
      start: start, format: format,
      isQuiet: isQuiet, withholdsPoses: offline != nil,
      progress: ProgressLine(span: span(of: input), isQuiet: isQuiet))
    warn(input.takeWarnings())

    var truthTest = try recording.flatMap { try truth.test($0, rig: $0.rig) }
    var motion =
      input.trajectorySource == .odometry
      ? MotionCheck(rig: input.rig, statesDevice: recording.map { $0.statesDevice || $0.looksAlongCamera } ?? true)
      : nil
    while true {
      // What is published leaves before the wait for more.
      if !input.isReady {
        try pipeline.flush()
        warn(input.takeWarnings())
      }
      guard let event = try input.next() else { break }
      truthTest?.observe(event.event)
      motion?.add(event.event)
      offline?.observe(event.event)
      try pipeline.process(event)
    }
    // Output held back at `to` depends on later data: it is not emitted.
    if !input.stoppedEarly { try pipeline.recordingEnded() }
    let refined = offline?.poses { pipeline.show("smoothing", fraction: $0) }
    if let refined { try pipeline.record(refined.poses) }
    if let peer = options.peer, pipeline.counts.ranges == 0 {
      let known = try recording == nil ? [] : knownPeers()
      let near = Spelling.suggestion(for: peer, among: known)
      let expected = known.isEmpty ? "" : ", expected one of: \(known.joined(separator: " "))\(near)"
      throw CommandError("--peer \(peer): no ranges of that peer in this part of the recording\(expected)")
    }

    let errors = pipeline.judge?.errors()
    let (diagnoses, doubts) = motion?.judged(finder.diagnoses) ?? (finder.diagnoses, [])
    let besides = try (recording?.clockDiagnoses() ?? []) + (truthTest?.diagnoses(after: diagnoses) ?? [])
    warn(input.takeWarnings())
    let damage = (input.damage + truth.damage).sorted { $0.path < $1.path }
    var document = ResultDocument(
      title: input.title, start: start, trajectorySource: input.trajectorySource, options: options, digest: digest,
      counts: pipeline.counts, damage: damage,
      summary: finder.summary, diagnoses: diagnoses + besides,
      calibration: finder.calibration,
      peers: pipeline.peers,
      written: (files.updateCount, files.poseCount),
      nonFinite: files.nonFiniteCount, errors: errors)
    document.doubts = doubts
    let use = ResourceUse(since: began)
    let timing = TimingDocument(
      recording: input.path, use: use, counts: pipeline.counts, isOffline: offline != nil,
      span: span(of: input) ?? 0)
    try files.commit(result: document.json, timing: timing.json)
    warn(DamageWords.lines(damage) + (refined?.warnings ?? []))
    try pipeline.close(
      with: RunSummary.lines(
        peers: pipeline.peers, errors: errors, start: start, summary: finder.summary,
        besides: besides,
        losses: losses(finder.summary, pipeline.counts, input.rig, nonFinite: files.nonFiniteCount))
        + (finder.calibration.map { RunSummary.wrapped(CalibrationDocument.words($0)) } ?? [])
        + RunSummary.wrapped("written to \(output): " + timing.words)
        + RunSummary.wrapped(Self.verdictLine(document.verdict)))
    // Where no story ends with it.
    if isQuiet || format == .jsonl, document.verdict.findings.first != nil {
      StandardError.line(Self.verdictLine(document.verdict))
    }
  }

  /// The last line of every run.
  private static func verdictLine(_ verdict: RunVerdict) -> String { "verdict: \(verdict.line)" }

  /// The peers with ranges in this part of the recording.
  private func knownPeers() throws -> [String] {
    var reading = options.reading
    (reading.peer, reading.tracking) = (nil, nil)
    let events = try Recording.open(URL(fileURLWithPath: folder), options: reading).events()
    var names: Set<String> = []
    while let event = try events.next() { if case .range(let range) = event.event { names.insert(range.peer) } }
    return names.sorted()
  }

  private func losses(
    _ summary: FinderSummary, _ counts: EventCounts, _ rig: RigCalibration, nonFinite: Int
  ) -> [String] {
    let offset = rig.cameras.first?.timeOffset ?? 0
    return LossWords(
      summary, ranges: counts.ranges, window: options.finder.reorderWindow,
      frames: counts.lostFrames(summary, offset: offset), nonFinite: nonFinite
    ).lines
  }

  private func finder(
    for input: any RunInput, _ recording: Recording?, truth: TruthReading
  ) throws -> PrecisionFinder {
    let usesOdometry = input.trajectorySource == .odometry
    var initialState: GroundTruthState?
    if options.initialization == .groundtruth, let recording {
      if usesOdometry {
        warn(["--initialize groundtruth has no effect: the trajectory comes from odometry0, in its own world"])
      } else {
        initialState = try truth.firstState(of: recording)
      }
    }
    return PrecisionFinder(
      rig: input.rig, configuration: options.finder, useOdometry: usesOdometry, initialState: initialState)
  }

  private func offlineTrajectory(_ finder: PrecisionFinder, _ input: any RunInput) -> OfflineTrajectory? {
    guard options.isOffline else { return nil }
    if input.trajectorySource == .imuAndCamera {
      if options.finder.calibration.online {
        warn(["--offline uses the stated calibration: --calibrate changes the forward run only"])
      }
      return OfflineTrajectory(finder, input.rig)
    }
    warn(["--offline has no effect: the trajectory comes from odometry0"])
    return nil
  }

  /// Seconds of the recording that the run covers; nil where they are not known yet.
  private func span(of input: any RunInput) -> Double? {
    guard let whole = input.length else { return nil }
    return max(0, min(whole, options.to ?? whole) - max(0, options.from ?? 0))
  }

  private func warn(_ lines: [String]) {
    guard !isQuiet else { return }
    for line in lines { StandardError.warn(line) }
  }
}

/// One run: passes events to the finder, and its output to the files, the story and the judge.
struct RunPipeline {
  /// Format of stdout.
  enum Format: String, CaseIterable {
    case text, jsonl
  }

  private var run: FinderRun
  private let output: OutputFolder
  private let format: Format
  private let isQuiet: Bool
  private let withholdsPoses: Bool
  private var story: Story
  private var standardOutput: StandardOutput
  private var progress: ProgressLine
  private let start: Timestamp
  /// Events of each kind that the finder saw.
  var counts: EventCounts { run.counts }
  /// The judge, where there is a truth.
  private(set) var judge: Judge?
  /// Worlds of the trajectory whose first pose was recorded.
  private var recordedWorlds = 0
  /// Diagnoses that the story has reported.
  private var reportedDiagnoses = 0
  /// Outcomes of the peers.
  var peers: [String: PeerOutcome] { run.peers }

  /// A run into `output` for a recording that begins at `start`. `withholdsPoses`: the finder's poses are not written,
  /// smoothed ones follow at the end.
  init(
    finder: PrecisionFinder, output: OutputFolder, judge: Judge?, start: Timestamp, format: Format, isQuiet: Bool,
    withholdsPoses: Bool, progress: ProgressLine
  ) {
    run = FinderRun(finder)
    self.output = output
    self.judge = judge
    self.start = start
    self.format = format
    self.isQuiet = isQuiet
    self.withholdsPoses = withholdsPoses
    self.progress = progress
    story = Story(start: start)
    standardOutput = StandardOutput()
  }

  /// Processes the next event.
  mutating func process(_ event: TimedEvent) throws {
    for output in run.process(event) { try emit(output) }
    try reportDiagnoses(at: event.event.timestamp)
    progress.show(event.event.timestamp.seconds(since: start))
  }

  /// Ends a run at the recording's end: emits output held back for late data.
  mutating func recordingEnded() throws {
    for output in run.finish() { try emit(output) }
    if reportedDiagnoses < run.finder.diagnoses.count { try reportDiagnoses(at: start) }
  }

  /// Records the smoothed trajectory, which replaces the finder's.
  mutating func record(_ poses: [SmoothedPose]) throws {
    for pose in poses { try record(pose.timestamp, pose.worldFromBody, pose.covariance) }
  }

  /// Records a pose, and before it that its world began.
  private mutating func record(_ time: Timestamp, _ worldFromBody: Pose, _ covariance: PoseCovariance) throws {
    let worlds = run.finder.summary.worlds
    while recordedWorlds < worlds.count, worlds[recordedWorlds] <= time {
      if recordedWorlds > 0 {
        judge?.beginWorld(at: worlds[recordedWorlds])
        try output.beginWorld()
      }
      recordedWorlds += 1
    }
    judge?.record(time, worldFromBody: worldFromBody, covariance: covariance)
    try output.write(time, worldFromBody: worldFromBody, covariance: covariance)
  }

  /// Hands what was published to the reader: before waiting for more input.
  mutating func flush() throws { try standardOutput.flush() }

  /// Shows the progress of work after the recording's end.
  mutating func show(_ work: String, fraction: Double) { progress.show(work, fraction: fraction) }

  /// Writes the final lines of text; the JSON stream has none.
  mutating func close(with lines: [String]) throws {
    progress.erase()
    if format == .text, !isQuiet { for line in lines { try standardOutput.line(line) } }
    try standardOutput.flush()
  }

  private mutating func reportDiagnoses(at time: Timestamp) throws {
    while reportedDiagnoses < run.finder.diagnoses.count {
      let diagnosis = run.finder.diagnoses[reportedDiagnoses]
      reportedDiagnoses += 1
      guard format == .text, !isQuiet else { continue }
      progress.erase()
      for line in story.process(diagnosis, at: time) { try standardOutput.line(line) }
    }
  }

  private mutating func emit(_ finderOutput: FinderOutput) throws {
    switch finderOutput {
    case .update(let update):
      let record = UpdateRecord(update)
      if let judged = JudgedUpdate(record) { judge?.record(judged, peer: update.object.peer) }
      try publish(output.write(record), story.process(update))
    case .session(let session):
      try publish(output.write(UpdateRecord(session)), story.process(session))
    case .pose(let time, let worldFromBody, let covariance):
      guard !withholdsPoses else { return }
      try record(time, worldFromBody, covariance)
    }
  }

  private mutating func publish(_ line: [UInt8], _ story: [String]) throws {
    switch format {
    case .jsonl: try standardOutput.write(line)
    case .text:
      guard !isQuiet, !story.isEmpty else { return }
      progress.erase()
      for line in story { try standardOutput.line(line) }
    }
  }
}

/// `--offline`: records the forward run, then smooths its trajectory over the whole recording.
final class OfflineTrajectory {
  private let record = ForwardRecord()
  private let smoother: Smoother
  private var outcome = Smoother.Outcome()

  /// Records `finder` from now on; nil where the rig lacks IMU or camera for a trajectory.
  init?(_ finder: PrecisionFinder, _ rig: RigCalibration) {
    guard let smoother = Smoother(rig) else { return nil }
    self.smoother = smoother
    finder.attach(record)
  }

  /// Records an event of the recording, too: ranges reach the filter only through peers. A long recording is smoothed part by part.
  func observe(_ event: SensorEvent) {
    smoother.smoothCompleted(record, into: &outcome)
    if case .range(let range) = event { record.didReceive(range) }
  }

  /// The trajectory, a pose for each of the finder's, and warnings.
  func poses(progress: (Double) -> Void = { _ in }) -> (poses: [SmoothedPose], warnings: [String]) {
    smoother.smoothRest(of: record, into: &outcome, progress: progress)
    let left = outcome.unsmoothedSegments
    return (
      outcome.poses,
      left == 0
        ? []
        : [
          "--offline: \(Words.count(left, "stretch", plural: "stretches")) of the trajectory not smoothed"
        ]
    )
  }
}

/// `timing.json`: the cost of the run. The only file that differs between two runs.
private struct TimingDocument {
  /// The recording's folder: not a result, so it is stored here. Evaluations and reports find the ground truth by it.
  /// Nil for a stream.
  var recording: String?
  /// Resource use.
  var use: ResourceUse
  /// Events read.
  var counts: EventCounts
  /// The trajectory was smoothed over the whole recording.
  var isOffline: Bool
  /// Seconds of the recording that the run covers.
  var span: Double

  /// The document.
  var json: JSONValue {
    [
      "recording": .string(recording), "mode": .string(isOffline ? "offline" : "forward"),
      "wallSeconds": .number(use.wall), "cpuSeconds": .number(use.cpu), "recordingSeconds": .number(span),
      "timesRealTime": .number(timesRealTime),
      "framesPerSecond": .number(counts.frames > 0 ? Double(counts.frames) / use.wall : nil),
      "peakMemoryBytes": .integer(use.peakMemory),
    ]
  }

  /// The same as text.
  var words: String {
    "\(Words.fixed(span, 1)) s of recording in \(Words.fixed(use.wall, 2)) s, \(Words.fixed(timesRealTime, 0)) x real time, "
      + "\(Words.fixed(Double(use.peakMemory) / 1e6, 0)) MB"
  }

  private var timesRealTime: Double { use.wall > 0 ? span / use.wall : 0 }
}
