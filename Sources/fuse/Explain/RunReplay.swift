import Datasets
import Foundation
import PrecisionFinding
import SensorData

/// Plays the recording of a run again, as the run was asked for, up to a moment: the same input gives the same bytes, so that
/// whoever listens hears how the run came to what it wrote.
struct RunReplay {
  private let run: RunFolder
  private let recording: Recording
  private let truth: TruthReading
  private let options: RunOptions

  /// Finds the recording and what was asked for.
  ///
  /// - Parameter named: where the recording stands, if the user says.
  /// - Throws: `DatasetError` and `CommandError`, also where a file differs from what the run was made from.
  init(of run: RunFolder, named: String?) throws {
    self.run = run
    guard let result = run.result else {
      throw CommandError("\(run.path)/\(OutputFolder.resultName): not there, expected what the run was asked for")
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

  /// The recording's first event: seconds count from there.
  var start: Timestamp { recording.firstTimestamp }

  /// Plays everything that can bear on an update at `time`, and returns the explanation of the last update of `peer` until then; nil
  /// where there is none.
  ///
  /// - Throws: `CommandError` where the updates of `peer` differ from those in the folder: another version wrote them.
  func explanation(of peer: String, at time: Timestamp) throws -> Explanation? {
    let usesOdometry = recording.trajectorySource == .odometry
    let startsFromTruth = options.initialization == .groundtruth && !usesOdometry
    let finder = PrecisionFinder(
      rig: recording.rig, configuration: options.finder, useOdometry: usesOdometry,
      initialState: startsFromTruth ? try truth.firstState(of: recording) : nil)
    let written = run.updates.last { $0.peer == peer && $0.timestamp <= time }
    let heard = LastExplanation(of: peer, at: written?.timestamp ?? time, in: finder)
    var last: UpdateRecord?
    var isPast = false
    func hear(_ said: FinderOutput) {
      guard case .update(let update) = said, update.object.peer == peer else { return }
      if update.timestamp > time { isPast = true } else { last = UpdateRecord(update) }
    }
    let events = try recording.events()
    while !isPast, let event = try events.next() { finder.process(event).forEach(hear) }
    if !isPast, !events.stoppedEarly { finder.finish().forEach(hear) }
    guard try last.map(Self.asRead) == written else {
      throw CommandError(
        "\(run.path): the update of \(peer) comes out otherwise now, expected the same bytes; "
          + "the run was made by another version: run it again")
    }
    return heard.explanation
  }

  /// A line as whoever reads the file finds it.
  private static func asRead(_ record: UpdateRecord) throws -> UpdateRecord {
    var json = JSONBuffer()
    record.write(to: &json)
    return try JSONDecoder().decode(UpdateRecord.self, from: Data(json.bytes))
  }
}

extension RunOptions {
  /// What a run was asked for, from its `result.json`.
  fileprivate init(_ result: JSONValue, of path: String) throws {
    self.init()
    let file = "\(path)/\(OutputFolder.resultName)"
    guard let asked = result["configuration"], let settings = asked["finder"] else {
      throw CommandError("\(file): no configuration, expected what the run was asked for")
    }
    (from, to) = (asked["from"]?.double, asked["to"]?.double)
    peer = asked["peer"]?.text
    forcesOdometry = asked["trajectory"]?.text == "odometry"
    initialization = asked["initialize"]?.text == "groundtruth" ? .groundtruth : .auto
    isStrict = asked["strict"] == .bool(true)
    var json = JSONBuffer()
    json.pretty(settings)
    // JSON is YAML.
    finder = try ConfigurationFile.parse(String(decoding: json.bytes, as: UTF8.self), file: file)
  }
}
