import Datasets
import Evaluation
import Geometry
import PrecisionFinding
import RunResults
import SensorData
import Smoothing

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
