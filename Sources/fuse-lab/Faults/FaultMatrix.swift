import Datasets
import Evaluation
import Foundation
import JSONText
import RunResults

/// What the finder does where one sensor has one fault, on several recordings.
struct FaultMatrix {
  /// Of a cell, best first; the page says what they are.
  enum Outcome: String, CaseIterable, Sendable, Comparable {
    case right, named, silent, refused, wrong, broken

    static func < (a: Outcome, b: Outcome) -> Bool { allCases.firstIndex(of: a)! < allCases.firstIndex(of: b)! }
  }

  /// Which recording, sensor and fault.
  struct Key: Hashable, Sendable {
    var recording: String
    var sensor: FaultySensor
    var fault: SensorFault?

    /// In files.
    var text: String { "\(recording) / \(sensor) / \(fault?.rawValue ?? "none")" }
  }

  /// What was measured: its outcome, exit code, processor seconds and figures.
  struct Cell: Sendable {
    let json: JSONValue

    var outcome: Outcome { json["outcome"]?.text.flatMap(Outcome.init) ?? .broken }

    /// A number of it.
    subscript(key: String) -> Double? { json[key]?.double }
  }

  /// The command that is measured.
  let fuse: ChildCommand
  /// Runs at a time.
  let jobs: Int
  /// Folders of the recordings that are there, by name, in the matrix's order.
  let recordings: [(name: String, path: String)]

  /// All recordings of the matrix.
  static let names = ["demo", "search", "arc-above", "two-peers", "hh_walk"]
  /// Processor seconds after which a run hangs.
  private static let hang = 120

  init(fuse: ChildCommand, jobs: Int, _ checkout: Checkout) {
    (self.fuse, self.jobs) = (fuse, jobs)
    recordings = Self.names.map { ($0, checkout.recording($0)) }.filter { RegularFile.isFolder($0.1) }
  }

  /// All cells.
  var keys: [Key] {
    FaultySensor.allCases.flatMap { sensor in
      SensorFault.allCases.flatMap { fault in
        recordings.map { Key(recording: $0.name, sensor: sensor, fault: fault) }
      }
    }
  }

  /// Measures cells, in their order; nil for those that have no meaning.
  ///
  /// - Parameter log: called with each, one at a time, once measured.
  func cells(_ keys: [Key], log: @escaping @Sendable (Key, Cell?) throws -> Void = { _, _ in }) throws -> [Cell?] {
    let sound = try healthy(Set(keys.map(\.recording)))
    let lock = NSLock()
    return try TaskQueue.outcomes(keys.count, jobs: jobs) { index in
      let cell = try measured(keys[index], sound)
      try lock.withLock { try log(keys[index], cell) }
      return cell
    }
  }

  /// The same without a fault: of the poses, where they are what is wrong, else of the sensors.
  func healthy(_ names: Set<String>) throws -> [Key: Cell] {
    let keys = recordings.filter { names.contains($0.name) }.flatMap { recording in
      [FaultySensor.odometry, .ranges].map { Key(recording: recording.name, sensor: $0) }
    }
    let found = try TaskQueue.outcomes(keys.count, jobs: jobs) { try run(keys[$0]) }
    return [Key: Cell](zip(keys, found).compactMap { key, run in run.map { (key, Cell(json: $0)) } }) { $1 }
  }

  private func measured(_ key: Key, _ healthy: [Key: Cell]) throws -> Cell? {
    guard var json = try run(key) else { return nil }
    if json["outcome"] == nil {
      let sound = healthy[Key(recording: key.recording, sensor: key.sensor == .odometry ? .odometry : .ranges)]
      func excess(_ name: String) -> Double { (json[name]?.double ?? 0) - (sound?[name] ?? 0) }
      let families = Set(json["families"]?.elements?.compactMap(\.text) ?? [])
      let outcome: Outcome =
        if json["wrongArrows"]?.double ?? 0 > (sound?["wrongArrows"] ?? 0) + 0.01 || excess("falseConverged") > 0 {
          .wrong
        } else if !families.isDisjoint(with: key.sensor.traits.families.union(["time"])) {
          .named
        } else {
          excess("convergedTrials") >= 0 && excess("angleShare") >= 0 ? .right : .silent
        }
      json["outcome"] = .string(outcome.rawValue)
    }
    return Cell(json: json)
  }

  /// Figures of a run, with its outcome where there are none; nil where the fault has no meaning.
  private func run(_ key: Key) throws -> JSONValue? {
    let scratch = try TemporaryFolder("matrix")
    let (folder, out) = ("\(scratch.path)/in", "\(scratch.path)/out")
    guard let recording = recordings.first(where: { $0.name == key.recording }),
      try SensorFault.make(key.fault, of: key.sensor, recording.path, to: folder)
    else { return nil }
    let ended = try fuse.outcome(["run", folder, "-o", out, "--quiet"], processorSeconds: Self.hang)
    var cell: JSONValue = [
      "exit": ended.status < 0 ? .null : .integer(Int(ended.status)),
      "seconds": .number(Digits.rounded(ended.seconds, 1)),
    ]
    let words = ["eval", out, "--truth", folder, "--no-ideal", "--quiet", "--format", "jsonl"]
    guard ended.status == 0, let line = try? fuse.row(words) else {
      if ended.status == 2 {
        let parts = ended.errors.trimmingCharacters(in: .whitespacesAndNewlines).split(separator: ": ", maxSplits: 2)
        cell["error"] = .string(String((parts.last ?? "").prefix(120)))
      }
      cell["outcome"] = .string((ended.status == 2 ? Outcome.refused : .broken).rawValue)
      return cell
    }
    let run = try RunFolder(path: out, keeping: .none)
    let families = Set(run.diagnoses.filter { $0["handled"] != .bool(true) }.compactMap { $0["family"]?.text })
    (cell["diagnoses"], cell["families"]) = (.texts(run.codes), .texts(families.sorted()))
    for (key, name) in [("wrongArrows", "wrongAngles"), ("falseConverged", "falseConverged")] {
      cell[key] = .number(Digits.rounded(line[name]?.double ?? 0, 4))
    }
    cell["convergedTrials"] = line["converged"] ?? .null
    cell["angleShare"] = .number(line["angleShareAt12s"]?.double ?? 0)
    return cell
  }
}

extension RunFolder {
  /// Its diagnoses.
  var diagnoses: [JSONValue] { result?["diagnoses"]?.elements ?? [] }

  /// Their codes, sorted, each once.
  var codes: [String] { Set(diagnoses.compactMap { $0["code"]?.text }).sorted() }
}
