import Datasets
import Foundation
import JSONText
import RunResults

/// What the finder does where one sensor has one fault, on several recordings.
struct FaultMatrix {
  /// Of a cell, best first.
  enum Outcome: String, CaseIterable, Sendable, Comparable {
    /// As without the fault.
    case right
    /// A diagnosis of the right family, nothing wrong published.
    case named
    /// Nothing wrong published.
    case silent
    /// Exit code 2.
    case refused
    /// 1 % of the published arrows over 20 degrees off, or a false convergence, beyond what there is without the fault.
    case wrong
    /// A trap, a hang, another exit code.
    case broken

    static func < (a: Outcome, b: Outcome) -> Bool { allCases.firstIndex(of: a)! < allCases.firstIndex(of: b)! }
  }

  /// Which recording, sensor and fault.
  struct Key: Hashable, Sendable {
    var recording: String
    var sensor: FaultySensor
    var fault: SensorFault?

    /// In files.
    var text: String { "\(recording) / \(sensor) / \(fault?.name ?? "none")" }

    static func == (a: Key, b: Key) -> Bool { a.text == b.text }
    func hash(into hasher: inout Hasher) { hasher.combine(text) }
  }

  /// What was measured: its outcome, exit code, processor seconds and figures.
  struct Cell: Sendable {
    var json: JSONValue
    var outcome: Outcome

    /// A number of it.
    func number(_ key: String) -> Double? { json[key]?.double }

    init(_ json: JSONValue, _ outcome: Outcome) { (self.json, self.outcome) = (json, outcome) }

    /// Of a file; nil for anything else.
    init?(_ json: JSONValue) {
      guard let outcome = json["outcome"]?.text.flatMap(Outcome.init) else { return nil }
      self.init(json, outcome)
    }
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

  /// - Parameter root: the checkout.
  init(fuse: ChildCommand, jobs: Int, root: String) {
    let data = ProcessInfo.processInfo.environment["FUSE_SHARED_DATA"] ?? "\(root)/../shared/data"
    (self.fuse, self.jobs) = (fuse, jobs)
    recordings = Self.names.map { ($0, $0 == "hh_walk" ? "\(data)/sim/hh_walk" : "\(root)/datasets/\($0)") }
      .filter { RegularFile.isFolder($0.1) }
  }

  /// All cells, of some recordings.
  func keys(of names: [String] = names) -> [Key] {
    FaultySensor.allCases.flatMap { sensor in
      SensorFault.all.flatMap { fault in
        recordings.filter { names.contains($0.name) }.map { Key(recording: $0.name, sensor: sensor, fault: fault) }
      }
    }
  }

  /// Measures cells, in their order; nil for those that have no meaning.
  ///
  /// - Parameter log: called with each, one at a time, once measured.
  func cells(_ keys: [Key], log: @escaping @Sendable (Key, Cell?) throws -> Void = { _, _ in }) throws -> [Cell?] {
    let sound = try healthy(Set(keys.map(\.recording)))
    let lock = NSLock()
    return try Tasks.results(keys.count, jobs: jobs) { index in
      let cell = try measured(keys[index], sound)
      try lock.withLock { try log(keys[index], cell) }
      return cell
    }
  }

  /// The same without a fault: of the poses, where they are what is wrong, else of the sensors.
  func healthy(_ names: Set<String>) throws -> [Key: JSONValue] {
    let keys = recordings.filter { names.contains($0.name) }.flatMap { recording in
      [FaultySensor.odometry, .ranges].map { Key(recording: recording.name, sensor: $0) }
    }
    let found = try Tasks.results(keys.count, jobs: jobs) { try run(keys[$0]) }
    return [Key: JSONValue](zip(keys, found).compactMap { key, run in run.map { (key, $0.json) } }) { $1 }
  }

  private func measured(_ key: Key, _ healthy: [Key: JSONValue]) throws -> Cell? {
    guard let run = try run(key) else { return nil }
    var outcome = run.outcome
    if outcome == nil {
      let sound = healthy[Key(recording: key.recording, sensor: key.sensor == .odometry ? .odometry : .ranges)]
      func number(_ name: String) -> (here: Double, sound: Double) {
        (run.json[name]?.double ?? 0, sound?[name]?.double ?? 0)
      }
      let (wrong, falsely) = (number("wrongArrows"), number("falseConverged"))
      let (converged, angles) = (number("convergedTrials"), number("angleShare"))
      if wrong.here > wrong.sound + 0.01 || falsely.here > falsely.sound {
        outcome = .wrong
      } else if !run.families.isDisjoint(with: key.sensor.families.union(["time"])) {
        outcome = .named
      } else {
        outcome = converged.here >= converged.sound && angles.here >= angles.sound ? .right : .silent
      }
    }
    return outcome.map { Cell(run.json.with([.init(key: "outcome", value: .string($0.rawValue))]), $0) }
  }

  /// Figures of a run, with its outcome where there are none; nil where the fault has no meaning.
  private func run(_ key: Key) throws -> (json: JSONValue, outcome: Outcome?, families: Set<String>)? {
    let scratch = try TemporaryFolder("matrix")
    let (folder, out) = ("\(scratch.path)/in", "\(scratch.path)/out")
    guard let recording = recordings.first(where: { $0.name == key.recording }),
      try SensorFault.make(key.fault, of: key.sensor, recording.path, to: folder)
    else { return nil }
    let ended = try fuse.outcome(["run", folder, "-o", out, "--quiet"], processorSeconds: Self.hang)
    let cell: JSONValue = [
      "exit": ended.status < 0 ? .null : .integer(Int(ended.status)),
      "seconds": .number(Digits.rounded(ended.seconds, 1)),
    ]
    guard ended.status == 0 else {
      let parts = ended.errors.trimmingCharacters(in: .whitespacesAndNewlines).split(separator: ": ", maxSplits: 2)
      let error = JSONValue.Member(key: "error", value: .string(String((parts.last ?? "").prefix(120))))
      return ended.status == 2 ? (cell.with([error]), .refused, []) : (cell, .broken, [])
    }
    let judged = try fuse.outcome([
      "eval", out, "--truth", folder, "--no-ideal", "--quiet", "--format", "jsonl",
    ])
    guard judged.status == 0, let line = judged.rows?.first else {
      return (cell.with([.init(key: "error", value: .string(String(judged.errors.prefix(120))))]), .broken, [])
    }
    let diagnoses = try RunFolder(path: out, keeping: .none).diagnoses
    let codes = Set(diagnoses.compactMap { $0["code"]?.text })
    let families = Set(diagnoses.filter { $0["handled"] != .bool(true) }.compactMap { $0["family"]?.text })
    func sorted(_ words: Set<String>) -> JSONValue { .array(words.sorted().map { .string($0) }) }
    func share(_ key: String) -> JSONValue { .number(Digits.rounded(line[key]?.double ?? 0, 4)) }
    return (
      cell.with([
        .init(key: "diagnoses", value: sorted(codes)), .init(key: "families", value: sorted(families)),
        .init(key: "wrongArrows", value: share("wrongAngles")),
        .init(key: "falseConverged", value: share("falseConverged")),
        .init(key: "convergedTrials", value: line["converged"] ?? .null),
        .init(key: "angleShare", value: .number(line["angleShareAt12s"]?.double ?? 0)),
      ]), nil, families
    )
  }
}

extension JSONValue {
  /// An object with further members.
  fileprivate func with(_ others: [Member]) -> JSONValue { .object((members ?? []) + others) }
}
