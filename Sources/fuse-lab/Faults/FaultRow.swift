import Datasets
import Foundation
import JSONText
import RunResults

/// What a run makes of a recording with one wrong thing about its set-up.
package struct FaultRow: Sendable {
  var recording: String
  var fault: String
  /// Of the fault; `healthy` without one.
  var family: String
  /// What is wrong, in words.
  var text: String
  /// The exit code of the run, and what a refusal said.
  var exit: Int, message: String? = nil
  /// Code and family of each diagnosis.
  var named: [(code: String, family: String)] = []
  /// Updates with an angle.
  var angles: Int?
  /// Median error of the angle, degrees; shares of the angles that are over 20 degrees off, and of the false convergences.
  var error: Double?, wrong: Double?, falseConverged: Double?
  /// Coverage of the angles, and the median error of the distance, metres.
  var coverage: Double?, distanceError: Double?
  /// The log likelihood ratio of `FaultOracle`; nil where it was not asked.
  var oracle: Double?

  /// A false convergence, or more than 1 % of the published angles over 20 degrees off.
  var isConfidentlyWrong: Bool { falseConverged ?? 0 > 0 || wrong ?? 0 > 0.01 }

  /// Whether no observer of the ranges can tell the fault.
  var cannotBeTold: Bool { oracle.map { $0 < FaultOracle.telling } ?? false }

  /// Whether it is named with its family. Camera and inertial unit count as one where only their relation is wrong; a
  /// refusal names the file.
  var isNamed: Bool {
    let relation: Set = ["imu", "camera"]
    let families = Set(named.map(\.family))
    return exit == 2 || families.contains(family)
      || relation.contains(family) && !families.isDisjoint(with: relation)
  }
}

extension FaultRow {
  private static var figures: [(key: String, value: WritableKeyPath<FaultRow, Double?>)] {
    [
      ("error", \.error), ("wrong", \.wrong), ("falseConverged", \.falseConverged), ("coverage", \.coverage),
      ("distanceError", \.distanceError),
    ]
  }

  /// The row as a line's value.
  var json: JSONValue {
    let pairs = named.map { JSONValue.array([.string($0.code), .string($0.family)]) }
    var members: [JSONValue.Member] = [
      .init(key: "recording", value: .string(recording)), .init(key: "fault", value: .string(fault)),
      .init(key: "family", value: .string(family)), .init(key: "text", value: .string(text)),
      .init(key: "exit", value: .integer(exit)), .init(key: "named", value: .array(pairs)),
    ]
    if let message { members.append(.init(key: "message", value: .string(message))) }
    if let angles {
      members.append(.init(key: "angles", value: .integer(angles)))
      members += Self.figures.map { .init(key: $0.key, value: .number(self[keyPath: $0.value])) }
    }
    if let oracle { members.append(.init(key: "oracle", value: .number(oracle))) }
    return .object(members)
  }

  /// - Throws: `JSONLines.NoRow` for anything else.
  init(_ json: JSONValue) throws {
    guard let recording = json["recording"]?.text, let fault = json["fault"]?.text,
      let family = json["family"]?.text, let text = json["text"]?.text, let exit = json["exit"]?.double,
      let named = json["named"]?.elements
    else { throw JSONLines.NoRow() }
    self.init(recording: recording, fault: fault, family: family, text: text, exit: Int(exit))
    message = json["message"]?.text
    self.named = named.compactMap { pair in
      guard let words = pair.elements, words.count == 2 else { return nil }
      return (words[0].text ?? "", words[1].text ?? "")
    }
    angles = json["angles"]?.double.map { Int($0) }
    for figure in Self.figures { self[keyPath: figure.value] = json[figure.key]?.double }
    oracle = json["oracle"]?.double
  }

  /// The rows of a file.
  ///
  /// - Throws: `DatasetError` with file and line for what is no row.
  static func rows(in path: String) throws -> [FaultRow] {
    try JSONLines.read(path, expected: "a line of 'fuse-lab faults run'") { try FaultRow($0) }
  }
}

/// Runs on recordings with faults, judged.
struct FaultRuns: Sendable {
  /// The command that is measured.
  var fuse: ChildCommand
  /// Another tool's faults: `<tool> --list`, `<tool> <recording> <out> <name>`.
  var shared: ChildCommand?
  /// Runs at a time.
  var jobs: Int

  private struct Task: Sendable {
    var name: String, family: String, text: String
    var fault: SetUpFault?
    var isShared = false
  }

  /// The rows of a recording: without a fault, unless some are named, and with each that fits it.
  ///
  /// - Throws: `LabError`, `DatasetError`.
  func rows(_ recording: String, names: [String]) throws -> [FaultRow] {
    var tasks =
      names.isEmpty ? [Task(name: "none", family: "healthy", text: "the recording without a fault")] : []
    tasks += SetUpFault.named(names).filter { $0.fits(recording) }.map {
      Task(name: $0.name, family: $0.family.rawValue, text: $0.text, fault: $0)
    }
    if let shared {
      let own = Set(SetUpFault.all.map(\.name))
      for line in String(decoding: try shared.succeeded(["--list"]).output, as: UTF8.self).split(separator: "\n") {
        let cells = line.split(separator: " ").map(String.init)
        guard cells.count > 2, names.isEmpty || names.contains(cells[0]), !own.contains(cells[0]) else { continue }
        tasks.append(
          Task(name: cells[0], family: cells[1], text: cells[2...].joined(separator: " "), isShared: true))
      }
    }
    let wanted = tasks
    return try Tasks.results(wanted.count, jobs: jobs) { try row(recording, wanted[$0]) }.compactMap(\.self)
  }

  /// The row of a task; nil where the other tool cannot make the fault of this recording.
  private func row(_ recording: String, _ task: Task) throws -> FaultRow? {
    let scratch = try TemporaryFolder("fault")
    let (folder, result) = ("\(scratch.path)/\(task.name)", "\(scratch.path)/\(task.name)-run")
    if let fault = task.fault {
      try fault.make(recording, in: scratch.path)
    } else if task.isShared {
      let made = try shared?.outcome([recording, scratch.path, task.name])
      if made?.status != 0 || !RegularFile.isFolder(folder) { return nil }
    } else {
      _ = try FaultyFolder(copying: recording, to: folder)
    }
    let run = try fuse.outcome(["run", folder, "-o", result, "--quiet"])
    var row = FaultRow(
      recording: URL(fileURLWithPath: recording).standardizedFileURL.lastPathComponent, fault: task.name,
      family: task.family, text: task.text, exit: Int(run.status))
    guard run.status == 0 else {
      row.message = run.lastError.replacing("\(folder)/", with: "")
      return row
    }
    let ended = try RunFolder(path: result, keeping: .none)
    row.named = ended.diagnoses.map { ($0["code"]?.text ?? "", $0["family"]?.text ?? "") }
    var angles = 0
    try ended.forEachUpdate { if $0.peer != nil, $0.horizontalAngle != nil { angles += 1 } }
    row.angles = angles
    // Where all clocks are wrong, so are those of the truth.
    let hasOwnTruth = task.family == "time" && task.name != "time-imu-microseconds"
    let judged = try? fuse.row([
      "eval", result, "--truth", hasOwnTruth ? folder : recording, "--no-ideal", "--format", "jsonl", "--quiet",
    ])
    row.error = judged?["angleErrorDegrees"]?.double
    row.wrong = judged?["wrongAngles"]?.double
    row.falseConverged = judged?["falseConverged"]?.double
    row.coverage = judged?["coverage90"]?.double
    row.distanceError = judged?["distanceError"]?.double
    if let family = SetUpFault.Family(rawValue: task.family), family == .radio || family == .odometry,
      row.isConfidentlyWrong || !row.isNamed
    {
      row.oracle = try FaultOracle.ratio(recording, faulty: folder, family: family)
    }
    return row
  }
}
