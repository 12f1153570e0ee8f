import Datasets
import Evaluation
import Foundation
import JSONText
import RunResults

/// What a run makes of a recording with one wrong thing about its set-up: a line of 'fuse-lab faults run'.
///
/// Its numbers: `exit`, the code of the run; `angles`, the updates with one; `error`, their median error in degrees;
/// `wrong`, the share of them over 20 degrees off; `falseConverged`; `coverage`; `distanceError`, metres; `oracle`, the log
/// likelihood ratio of `FaultOracle` where it was asked.
package struct FaultRow: Sendable {
  var json: JSONValue

  /// A number of it.
  subscript(key: String) -> Double? { json[key]?.double }

  private func text(_ key: String) -> String { json[key]?.text ?? "" }

  var recording: String { text("recording") }
  var fault: String { text("fault") }
  /// Of the fault; `healthy` without one.
  var family: String { text("family") }
  /// What is wrong, in words.
  var words: String { text("text") }
  /// What a refusal said.
  var message: String { text("message") }
  var isRefused: Bool { self["exit"] != 0 }

  /// Code and family of each diagnosis.
  var named: [(code: String, family: String)] {
    (json["named"]?.elements ?? []).compactMap { pair in
      pair.elements.flatMap { $0.count == 2 ? ($0[0].text ?? "", $0[1].text ?? "") : nil }
    }
  }

  /// A false convergence, or more than 1 % of the published angles over 20 degrees off.
  var isConfidentlyWrong: Bool { self["falseConverged"] ?? 0 > 0 || self["wrong"] ?? 0 > 0.01 }

  /// Whether no observer of the ranges can tell the fault.
  var cannotBeTold: Bool { self["oracle"].map { $0 < FaultOracle.telling } ?? false }

  /// Whether it is named with its family. Camera and inertial unit count as one where only their relation is wrong; a
  /// refusal names the file.
  var isNamed: Bool {
    let relation: Set = ["imu", "camera"]
    let families = Set(named.map(\.family))
    return self["exit"] == 2 || families.contains(family)
      || relation.contains(family) && !families.isDisjoint(with: relation)
  }

  /// The rows of a file.
  ///
  /// - Throws: `DatasetError` with file and line for what is no row.
  static func rows(in path: String) throws -> [FaultRow] {
    try JSONLines.read(path, expected: "a line of 'fuse-lab faults run'") { json in
      guard ["recording", "fault", "family", "text"].allSatisfy({ json[$0]?.text != nil }),
        json["exit"]?.double != nil, json["named"]?.elements != nil
      else { throw JSONLines.NoRow() }
      return FaultRow(json: json)
    }
  }
}

/// Runs on recordings with faults, judged.
struct FaultRuns: Sendable {
  /// The command that is measured.
  private let fuse: ChildCommand
  /// Another tool's faults, where it is there: `<tool> --list`, `<tool> <recording> <out> <name>`.
  private let shared: ChildCommand?
  /// Runs at a time.
  private let jobs: Int

  /// - Throws: `LabError` where the command is not there.
  init(_ option: FuseOption, _ checkout: Checkout) throws {
    (fuse, jobs) = (try option.command(), option.jobs)
    shared = try? ChildCommand("\(checkout.sharedData)/../tools/setup-faults")
  }

  private struct Task: Sendable {
    var name: String, family: String, text: String
    /// Makes the recording in a folder, under the task's name.
    var make: @Sendable (_ recording: String, _ out: String) throws -> Void
  }

  /// The rows of a recording: without a fault, unless some are named, and with each that fits it.
  ///
  /// - Throws: `LabError`, `DatasetError`.
  func rows(_ recording: String, names: [String]) throws -> [FaultRow] {
    let healthy = Task(name: "none", family: "healthy", text: "the recording without a fault") {
      _ = try FaultyFolder(copying: $0, to: "\($1)/none")
    }
    let own = SetUpFault.all.filter { (names.isEmpty || names.contains($0.name)) && $0.fits(recording) }.map { fault in
      Task(name: fault.name, family: fault.family.rawValue, text: fault.text) { _ = try fault.make($0, in: $1) }
    }
    let tasks = try (names.isEmpty ? [healthy] : []) + own + sharedTasks(names)
    return try TaskQueue.outcomes(tasks.count, jobs: jobs) { try row(recording, tasks[$0]) }.compactMap(\.self)
  }

  /// The other tool's, but for those of the same name as own ones.
  private func sharedTasks(_ names: [String]) throws -> [Task] {
    guard let shared else { return [] }
    let own = Set(SetUpFault.all.map(\.name))
    let lines = String(decoding: try shared.succeeded(["--list"]).output, as: UTF8.self).split(separator: "\n")
    return lines.map { $0.split(separator: " ").map(String.init) }
      .filter { $0.count > 2 && (names.isEmpty || names.contains($0[0])) && !own.contains($0[0]) }
      .map { cells in
        Task(name: cells[0], family: cells[1], text: cells[2...].joined(separator: " ")) {
          _ = try shared.outcome([$0, $1, cells[0]])
        }
      }
  }

  /// The row of a task; nil where the other tool cannot make the fault of this recording.
  private func row(_ recording: String, _ task: Task) throws -> FaultRow? {
    let scratch = try TemporaryFolder("fault")
    let (folder, result) = ("\(scratch.path)/\(task.name)", "\(scratch.path)/\(task.name)-run")
    try task.make(recording, scratch.path)
    guard RegularFile.isFolder(folder) else { return nil }
    let run = try fuse.outcome(["run", folder, "-o", result, "--quiet"])
    var row = FaultRow(json: [
      "recording": .string(URL(fileURLWithPath: recording).standardizedFileURL.lastPathComponent),
      "fault": .string(task.name), "family": .string(task.family), "text": .string(task.text),
      "exit": .integer(Int(run.status)), "named": .array([]),
    ])
    guard run.status == 0 else {
      row.json["message"] = .string(run.lastError.replacing("\(folder)/", with: ""))
      return row
    }
    let ended = try RunFolder(path: result, keeping: .none)
    row.json["named"] = .array(ended.diagnoses.map { .texts([$0["code"]?.text ?? "", $0["family"]?.text ?? ""]) })
    var angles = 0
    try ended.forEachUpdate { if $0.peer != nil, $0.horizontalAngle != nil { angles += 1 } }
    row.json["angles"] = .integer(angles)
    // Where all clocks are wrong, so are those of the truth.
    let hasOwnTruth = task.family == "time" && task.name != "time-imu-microseconds"
    let judged = try? fuse.row([
      "eval", result, "--truth", hasOwnTruth ? folder : recording, "--no-ideal", "--format", "jsonl", "--quiet",
    ])
    for (key, name) in Self.figures { row.json[key] = .number(judged?[name]?.double) }
    if let family = SetUpFault.Family(rawValue: task.family), family == .radio || family == .odometry,
      row.isConfidentlyWrong || !row.isNamed
    {
      row.json["oracle"] = try FaultOracle.ratio(recording, faulty: folder, family: family).map { .number($0) }
    }
    return row
  }

  /// Figures of a row, and of `fuse eval`.
  private static let figures = [
    ("error", "angleErrorDegrees"), ("wrong", "wrongAngles"), ("falseConverged", "falseConverged"),
    ("coverage", "coverage90"), ("distanceError", "distanceError"),
  ]
}
