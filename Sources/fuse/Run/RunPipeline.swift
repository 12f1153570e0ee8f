import Datasets
import Evaluation
import PrecisionFinding
import SensorData
import Smoothing

/// One run: events go to the finder; what it says goes to the files, the story and the judge.
struct RunPipeline {
  /// What stdout carries.
  enum Format: String, CaseIterable {
    case text, jsonl
  }

  private let finder: PrecisionFinder
  private let output: OutputFolder
  private let format: Format
  private let isQuiet: Bool
  private let withholdsPoses: Bool
  private var story: Story
  private var standardOutput: StandardOutput
  private var progress: ProgressLine
  private let start: Timestamp
  /// Events of each kind that the finder saw.
  private(set) var counts = EventCounts()
  /// The judge, where there is a truth.
  private(set) var judge: Judge?
  /// What became of the peers.
  private(set) var peers: [String: PeerOutcome] = [:]

  /// A run into `output` for a recording that begins at `start`. `withholdsPoses`: those of the finder are not wanted, better
  /// ones come at the end.
  init(
    finder: PrecisionFinder, output: OutputFolder, judge: Judge?, start: Timestamp, format: Format, isQuiet: Bool,
    withholdsPoses: Bool, progress: ProgressLine
  ) {
    self.finder = finder
    self.output = output
    self.judge = judge
    self.start = start
    self.format = format
    self.isQuiet = isQuiet
    self.withholdsPoses = withholdsPoses
    self.progress = progress
    story = Story(start: start)
    standardOutput = StandardOutput(needsReader: format == .jsonl)
  }

  /// Takes the next event.
  mutating func take(_ event: TimedEvent) throws {
    counts.note(event.event)
    for said in finder.process(event) { try pass(said) }
    progress.show(event.event.timestamp.seconds(since: start))
  }

  /// Ends a run whose recording has ended: what was held back for late data is said now.
  mutating func recordingEnded() throws {
    for said in finder.finish() { try pass(said) }
  }

  /// Takes the trajectory that stands for the finder's.
  mutating func take(_ poses: [SmoothedPose]) throws {
    for pose in poses {
      judge?.note(pose.timestamp, worldFromBody: pose.worldFromBody, covariance: pose.covariance)
      try output.write(pose.timestamp, worldFromBody: pose.worldFromBody, covariance: pose.covariance)
    }
  }

  /// Shows how far the work after the recording's end is.
  mutating func show(_ work: String, share: Double) { progress.show(work, share: share) }

  /// Tells the last words, lines for people; the JSON stream has none.
  mutating func close(with lines: [String]) throws {
    progress.erase()
    if format == .text, !isQuiet { for line in lines { try standardOutput.line(line) } }
    try standardOutput.flush()
  }

  private mutating func pass(_ said: FinderOutput) throws {
    switch said {
    case .update(let update):
      peers[update.object.peer, default: PeerOutcome()].note(update)
      let record = UpdateRecord(update)
      if let judged = JudgedUpdate(record) { judge?.note(judged, peer: update.object.peer) }
      try publish(output.write(record), story.tell(update))
    case .session(let session):
      try publish(output.write(UpdateRecord(session)), story.tell(session))
    case .pose(let time, let worldFromBody, let covariance):
      guard !withholdsPoses else { return }
      judge?.note(time, worldFromBody: worldFromBody, covariance: covariance)
      try output.write(time, worldFromBody: worldFromBody, covariance: covariance)
    }
  }

  private mutating func publish(_ line: [UInt8], _ told: [String]) throws {
    switch format {
    case .jsonl: try standardOutput.write(line)
    case .text:
      guard !isQuiet, !told.isEmpty else { return }
      progress.erase()
      for line in told { try standardOutput.line(line) }
    }
  }
}
