import ArgumentParser
import Datasets
import Foundation
import JSONText
import PrecisionFinding
import Report
import RunResults
import SensorData
import Settings
import Wording

/// `fuse explain <run> --at <s>`.
struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Explains what a run published, or withheld, at a time.",
    discussion: """
      Replays the run's recording up to that time and reports the modes of the posterior, which gates passed and \
      failed and by how much, the requested motion, its expected duration and whether another motion is better. \
      With several peers and no --peer it reports which of them the device points at.

      EXAMPLES
        fuse explain demo-fuse --at 5
        fuse explain result --at 12.3 --peer tag --recording phone
        fuse explain demo-fuse --at 5 --format json | jq .places
      """)

  enum Format: String, ExpressibleByArgument, CaseIterable { case text, json }

  @Argument(help: "The output folder of a run.")
  var folder: String

  @Option(help: ArgumentHelp("The time, seconds from the recording's first event.", valueName: "s"))
  var at: Double

  @Option(
    help: ArgumentHelp("The peer; without it, with several peers: the one pointed at.", valueName: "id"))
  var peer: String?

  @Option(help: ArgumentHelp("The recording, where it has moved since the run.", valueName: "folder"))
  var recording: String?

  @Option(help: "Output format: text or json.")
  var format = Format.text

  @Flag(help: "Read an output folder even if its files are not those of one run.")
  var unverified = false

  /// Beyond its last update by more than this a run is over, seconds.
  private static let silence = 1.0

  func validate() throws {
    guard at >= 0, at <= 1e9 else { throw ValidationError("--at must be from 0 to 1e9 seconds.") }
  }

  func run() throws {
    try Failure.reporting {
      let run = try RunFolder.named(folder, isUnverified: unverified, keeping: .none)
      let replay = try RunReplay(of: run, named: recording)
      let time = replay.start.advanced(bySeconds: at)
      var names: Set<String> = []
      var pointing = Pointing(until: time)
      var written: [String: UpdateRecord] = [:]
      var end: Timestamp?
      try run.forEachUpdate { update in
        end = max(end ?? update.timestamp, update.timestamp)
        guard let peer = update.peer else { return }
        names.insert(peer)
        if update.timestamp <= time { written[peer] = update }
        pointing.add(update)
      }
      if let end, time.seconds(since: end) > Self.silence {
        let last = Words.fixed(end.seconds(since: replay.start), 1)
        StandardError.line(
          "note: the run ends at \(last) s; what follows is its state then, not at \(Words.fixed(at, 1)) s")
      }
      let peers = names.sorted()
      guard let peer = try only(of: peers) else {
        return try write(PointingText(pointing, at: at, peers: peers).lines, pointing.json)
      }
      guard let explanation = try replay.explanation(of: peer, at: time, written: written[peer]) else {
        throw CommandError("\(folder): no update of \(peer) until then, expected a later time")
      }
      try write(
        ExplanationText(explanation, start: replay.start).lines, ExplanationDocument(explanation: explanation).json)
    }
  }

  private func write(_ lines: [String], _ document: JSONValue) throws {
    var standardOutput = StandardOutput()
    switch format {
    case .text: for line in lines { try standardOutput.line(line) }
    case .json:
      try standardOutput.line(String(decoding: document.prettyBytes, as: UTF8.self))
    }
  }

  /// The requested peer, or the only one; nil where there are several.
  private func only(of peers: [String]) throws -> String? {
    let list = peers.joined(separator: " ")
    if let peer {
      guard peers.contains(peer) else {
        throw CommandError(
          "\(folder): no updates of the peer '\(peer)', expected one of: \(list)\(Spelling.suggestion(for: peer, among: peers))"
        )
      }
      return peer
    }
    guard let first = peers.first else { throw CommandError("\(folder): no updates of any peer, expected some") }
    return peers.count == 1 ? first : nil
  }
}

/// Replays the recording of a run with the run's own options, up to a time. The same input gives the same bytes, so
/// observers see how the run came to its results.
struct RunReplay {
  private let run: RunFolder
  private let recording: Recording
  private let truth: TruthReading
  private let options: RunOptions

  /// Finds the recording and the options.
  ///
  /// - Parameter named: the recording's folder, if given by the user.
  /// - Throws: `DatasetError` and `CommandError`, also where a file differs from the run's input.
  init(of run: RunFolder, named: String?) throws {
    self.run = run
    guard let result = run.result else {
      throw CommandError("\(run.path)/\(RunFileNames.result): not there, expected the run's options")
    }
    guard let origin = try RunOrigin(of: run, named: named) else {
      throw CommandError("\(run.path): its recording is not to be found, expected its folder: --recording <folder>")
    }
    options = try RunOptions(result, of: run.path)
    let path = origin.path
    recording = try Recording.open(URL(fileURLWithPath: path), options: options.reading)
    truth = origin.truth
    guard case .object(let hashes)? = result["inputs"] else { return }
    let present = try InputDigest(recording).inputs
    for hash in hashes where !present.contains(where: { $0.path == hash.key && $0.sha256 == hash.value.text }) {
      throw CommandError(
        "\(run.path): made from another recording than \(path): its \(hash.key) differs, expected the same bytes; "
          + "name the right one with --recording")
    }
  }

  /// The recording's first event: the origin of seconds.
  var start: Timestamp { recording.firstTimestamp }

  /// Replays everything that can affect an update at `time`, and returns the explanation of the last update of `peer`
  /// until then; nil where there is none.
  ///
  /// - Parameter written: that update, as the folder has it.
  /// - Throws: `CommandError` where the updates of `peer` differ from those in the folder: another version wrote them.
  func explanation(of peer: String, at time: Timestamp, written: UpdateRecord?) throws -> Explanation? {
    let finder = try finder()
    let observer = LastExplanation(of: peer, at: written?.timestamp ?? time, in: finder)
    var last: UpdateRecord?
    var isPast = false
    func process(_ output: FinderOutput) {
      guard case .update(let update) = output, update.object.peer == peer else { return }
      if update.timestamp > time { isPast = true } else { last = UpdateRecord(update) }
    }
    let events = try recording.events()
    while !isPast, let event = try events.next() { finder.process(event).forEach(process) }
    if !isPast, !events.stoppedEarly { finder.finish().forEach(process) }
    guard try last.map(Self.roundTripped) == written else {
      throw CommandError(
        "\(run.path): the update of \(peer) is different now, expected the same bytes; "
          + "the run was made by another version: run it again")
    }
    return observer.explanation
  }

  /// What a replay of the whole run shows.
  struct Seen {
    /// The posterior of every peer over time.
    var posterior: [String: [PosteriorMoment]]
    /// The camera at the wanted moments; nil without one.
    var camera: CameraView?
  }

  /// Replays everything. The camera's pictures have at most `pictureLimit` bytes each; nil: none.
  func seen(at moments: [Timestamp], pictureLimit: Int?) throws -> Seen {
    let finder = try finder()
    let observer = PosteriorReplay()
    finder.attach(observer as any ExplanationObserver)
    var camera = CameraReplay(recording, at: moments, pictureLimit: pictureLimit)
    let events = try recording.events()
    while let event = try events.next() {
      camera?.see(event.event)
      _ = finder.process(event)
    }
    if !events.stoppedEarly { _ = finder.finish() }
    return withExtendedLifetime(observer) { Seen(posterior: observer.moments, camera: camera?.finish()) }
  }

  /// A finder with the run's options.
  private func finder() throws -> PrecisionFinder {
    let usesOdometry = recording.trajectorySource == .odometry
    let startsFromTruth = options.initialization == .groundtruth && !usesOdometry
    return PrecisionFinder(
      rig: recording.rig, configuration: options.finder, useOdometry: usesOdometry,
      initialState: startsFromTruth ? try truth.firstState(of: recording) : nil)
  }

  /// A line after writing and reading.
  private static func roundTripped(_ record: UpdateRecord) throws -> UpdateRecord {
    var json = JSONWriter()
    record.write(to: &json)
    return try json.bytes.withUnsafeBufferPointer { try UpdateRecord(line: $0) }
  }
}

extension RunOptions {
  /// The options of a run, from its `result.json`.
  fileprivate init(_ result: JSONValue, of path: String) throws {
    self.init()
    let file = "\(path)/\(RunFileNames.result)"
    guard let configuration = result["configuration"], let settings = configuration["finder"] else {
      throw CommandError("\(file): no configuration, expected the run's options")
    }
    (from, to) = (configuration["from"]?.double, configuration["to"]?.double)
    peer = configuration["peer"]?.text
    forcesOdometry = configuration["trajectory"]?.text == "odometry"
    initialization = configuration["initialize"]?.text == "groundtruth" ? .groundtruth : .auto
    isStrict = configuration["strict"] == .bool(true)
    // JSON is YAML.
    finder = try ConfigurationFile.parse(String(decoding: settings.prettyBytes, as: UTF8.self), file: file)
  }
}
