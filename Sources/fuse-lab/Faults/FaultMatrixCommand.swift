import ArgumentParser
import Datasets
import Foundation
import JSONText

/// `fuse-lab fault-matrix`.
struct FaultMatrixCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fault-matrix",
    abstract: "What the finder does where one sensor has one fault: docs/fault-matrix.md and its picture.",
    discussion: """
      Five sensors, seventeen faults, five recordings, each of these also without a fault. Outcomes, best first: right (as \
      without the fault), named (a diagnosis of the right family, nothing wrong published), silent (nothing wrong \
      published), refused (exit code 2), wrong (1 % of the published arrows over 20 degrees off, or a false convergence, \
      beyond what there is without the fault), broken (a trap, a hang, another exit code). Recordings of ../shared/data \
      that are not there are left out.

      EXAMPLES
        tools/update-fault-matrix                     docs/fault-matrix.md
        tools/update-fault-matrix --check             a tenth of the cells, against tools/fault-matrix.json
        tools/update-fault-matrix make datasets/demo out ranges spikes
        tools/update-fault-matrix measure --help      all options
      """, subcommands: [MeasureFaultMatrix.self, MakeSensorFault.self], defaultSubcommand: MeasureFaultMatrix.self)
}

/// `fuse-lab fault-matrix make`.
private struct MakeSensorFault: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "make", abstract: "A copy of a recording with a fault of a sensor, as in a cell of the matrix.")

  @Argument var recording: String
  @Argument var out: String
  @Argument(help: "\(FaultySensor.allCases.map(\.rawValue).joined(separator: ", ")).") var sensor: FaultySensor
  @Argument(help: "\(SensorFault.all.map(\.name).joined(separator: ", ")).") var fault: String

  func run() throws {
    guard let found = SensorFault.all.first(where: { $0.name == fault }) else {
      throw ValidationError("found no fault '\(fault)', expected a column of the matrix")
    }
    guard try SensorFault.make(found, of: sensor, recording, to: out) else {
      throw LabError("\(recording): '\(fault)' has no meaning for its \(sensor)")
    }
  }
}

/// All cells, or some.
private struct MeasureFaultMatrix: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "measure", abstract: "Measures all cells and writes the page, or a part and compares.")

  @Flag(help: "Compares with tools/fault-matrix.json; exit code 1 where a cell is worse than stated there.")
  var check = false

  @Option(help: "With --check, every N-th cell, from the K-th on.")
  var part = "1/10"

  @Flag(help: "Keeps what is measured already (.build/fault-matrix.jsonl).")
  var resume = false

  @Option(
    parsing: .upToNextOption, help: "Measures these recordings alone: \(FaultMatrix.names.joined(separator: ", ")).")
  var recordings: [String] = []

  @OptionGroup var fuse: FuseOption

  @Option(help: "Runs at a time.")
  var jobs = ProcessInfo.processInfo.activeProcessorCount

  private static let stated = "tools/fault-matrix.json", log = ".build/fault-matrix.jsonl"

  func validate() throws {
    if let other = recordings.first(where: { !FaultMatrix.names.contains($0) }) {
      throw ValidationError("found '\(other)', expected one of \(FaultMatrix.names.joined(separator: ", "))")
    }
    if steps == nil { throw ValidationError("--part: found '\(part)', expected K/N, such as 1/10") }
  }

  private var steps: (first: Int, every: Int)? {
    let numbers = part.split(separator: "/").compactMap { Int($0) }
    guard numbers.count == 2, numbers[0] > 0, numbers[0] <= numbers[1] else { return nil }
    return (numbers[0], numbers[1])
  }

  func run() throws {
    let root = try Checkout.root()
    let matrix = FaultMatrix(fuse: try fuse.command(), jobs: jobs, root: root)
    if check { try compare(matrix, root) } else { try measure(matrix, root) }
  }

  private func compare(_ matrix: FaultMatrix, _ root: String) throws {
    let stated = try JSONValue(contentsOf: "\(root)/\(Self.stated)")
    func expected(_ key: FaultMatrix.Key) -> FaultMatrix.Outcome? {
      stated[key.text]?.text.flatMap { .init(rawValue: $0) }
    }
    let known = matrix.keys().filter { expected($0) != nil }
    let steps = steps!
    let keys = stride(from: steps.first - 1, to: known.count, by: steps.every).map { known[$0] }
    var (count, worse, better) = (0, 0, 0)
    for (key, cell) in zip(keys, try matrix.cells(keys)) {
      guard let cell, let expected = expected(key) else { continue }
      count += 1
      if cell.outcome < expected { better += 1 }
      guard cell.outcome > expected else { continue }
      worse += 1
      let figures = String(decoding: cell.json.bytes, as: UTF8.self)
      print("\(key.text): \(cell.outcome), expected \(expected): \(figures)")
    }
    print("fault matrix: \(count) cells, \(worse) worse than stated, \(better) better")
    if worse > 0 { throw ExitCode(1) }
  }

  private func measure(_ matrix: FaultMatrix, _ root: String) throws {
    let log = "\(root)/\(Self.log)"
    var known = resume && RegularFile.exists(log) ? try measured(log) : [:]
    let wanted = matrix.keys(of: recordings.isEmpty ? FaultMatrix.names : recordings).filter { known[$0.text] == nil }
    if !resume || !RegularFile.exists(log) { try Checkout.write("", Self.log, in: root) }
    // A line a cell, as soon as it is measured: a long run that is ended can be resumed.
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: log))
    try file.seekToEnd()
    let found = try matrix.cells(wanted) { key, cell in
      try file.write(
        contentsOf: JSONValue.array([.string(key.text), cell?.json ?? .null]).bytes + [UInt8(ascii: "\n")])
    }
    for (key, cell) in zip(wanted, found) { known[key.text] = .some(cell) }
    let cells = matrix.keys().compactMap { key in (known[key.text] ?? nil).map { (key, $0) } }
    let outcomes = cells.map { JSONValue.Member(key: $0.0.text, value: .string($0.1.outcome.rawValue)) }
    let sound = try matrix.healthy(Set(cells.map(\.0.recording))).filter { $0.key.sensor == .ranges }
    let healthy = sound.map { ($0.key.recording, $0.value["wrongArrows"]?.double ?? 0) }
    let page = FaultMatrixPage(
      .init(cells.map { ($0.0, $0.1) }) { $1 }, healthy: .init(healthy) { $1 })
    try Checkout.write(
      String(decoding: JSONValue.object(outcomes).prettyBytes, as: UTF8.self) + "\n", Self.stated, in: root)
    try Checkout.write(page.text, "docs/fault-matrix.md", in: root)
    try Checkout.write(page.picture, "docs/pictures/fault-matrix.svg", in: root)
  }

  /// The cells of a log by the texts of their keys.
  private func measured(_ path: String) throws -> [String: FaultMatrix.Cell?] {
    let expected = "lines of this command, or a run without --resume"
    let pairs = try JSONLines.read(path, expected: expected) { line in
      guard let pair = line.elements, pair.count == 2, let key = pair[0].text else { throw JSONLines.NoRow() }
      return (key, FaultMatrix.Cell(pair[1]))
    }
    return .init(pairs) { $1 }
  }
}
