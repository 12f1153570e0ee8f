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
      Five sensors, seventeen faults, five recordings, each of these also without a fault. What the outcomes are: the page. \
      Recordings of ../shared/data that are not there are left out.

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
  @Argument(help: "A column of the matrix.") var fault: SensorFault

  func run() throws {
    guard try SensorFault.make(fault, of: sensor, recording, to: out) else {
      throw LabError("\(recording): '\(fault.rawValue)' has no meaning for its \(sensor)")
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

  @OptionGroup var fuse: FuseOption

  private static let stated = "tools/fault-matrix.json", log = ".build/fault-matrix.jsonl"

  func validate() throws {
    if steps == nil { throw ValidationError("--part: found '\(part)', expected K/N, such as 1/10") }
  }

  private var steps: (first: Int, every: Int)? {
    let numbers = part.split(separator: "/").compactMap { Int($0) }
    guard numbers.count == 2, numbers[0] > 0, numbers[0] <= numbers[1] else { return nil }
    return (numbers[0], numbers[1])
  }

  func run() throws {
    let checkout = try Checkout()
    let matrix = FaultMatrix(fuse: try fuse.command(), jobs: fuse.jobs, checkout)
    if check { try compare(matrix, checkout) } else { try measure(matrix, checkout) }
  }

  private func compare(_ matrix: FaultMatrix, _ checkout: Checkout) throws {
    let stated = try JSONValue(contentsOf: "\(checkout.root)/\(Self.stated)")
    let known = matrix.keys.compactMap { key in
      stated[key.text]?.text.flatMap { FaultMatrix.Outcome(rawValue: $0) }.map { (key, expected: $0) }
    }
    let steps = steps!
    let part = stride(from: steps.first - 1, to: known.count, by: steps.every).map { known[$0] }
    var (count, worse, better) = (0, 0, 0)
    for ((key, expected), cell) in zip(part, try matrix.cells(part.map(\.0))) {
      guard let cell else { continue }
      count += 1
      if cell.outcome < expected { better += 1 }
      guard cell.outcome > expected else { continue }
      worse += 1
      print("\(key.text): \(cell.outcome), expected \(expected): \(cell.json.line)")
    }
    print("fault matrix: \(count) cells, \(worse) worse than stated, \(better) better")
    if worse > 0 { throw ExitCode(1) }
  }

  private func measure(_ matrix: FaultMatrix, _ checkout: Checkout) throws {
    let log = "\(checkout.root)/\(Self.log)"
    let resumes = resume && RegularFile.exists(log)
    var known = resumes ? try measured(log) : [:]
    if !resumes { try checkout.write("", Self.log) }
    let wanted = matrix.keys.filter { known[$0.text] == nil }
    // A line a cell, at once: a long run that is ended can be resumed.
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: log))
    try file.seekToEnd()
    let found = try matrix.cells(wanted) { key, cell in
      try file.write(contentsOf: Data("\(JSONValue.array([.string(key.text), cell?.json ?? .null]).line)\n".utf8))
    }
    for (key, cell) in zip(wanted, found) { known[key.text] = cell?.json ?? .null }
    let cells = matrix.keys.compactMap { key in
      known[key.text].flatMap { $0 == .null ? nil : (key, FaultMatrix.Cell(json: $0)) }
    }
    let outcomes = cells.map { JSONValue.Member(key: $0.0.text, value: .string($0.1.outcome.rawValue)) }
    let sound = try matrix.healthy(Set(cells.map(\.0.recording))).filter { $0.key.sensor == .ranges }
    let page = FaultMatrixPage(
      .init(cells) { $1 }, healthy: .init(sound.map { ($0.key.recording, $0.value["wrongArrows"] ?? 0) }) { $1 })
    try checkout.write(String(decoding: JSONValue.object(outcomes).prettyBytes, as: UTF8.self) + "\n", Self.stated)
    try checkout.write(page.text, "docs/fault-matrix.md")
    try checkout.write(page.picture, "docs/pictures/fault-matrix.svg")
  }

  /// The cells of a log by the texts of their keys; null where one has no meaning.
  private func measured(_ path: String) throws -> [String: JSONValue] {
    let pairs = try JSONLines.read(path, expected: "lines of this command, or a run without --resume") { line in
      guard let pair = line.elements, pair.count == 2, let key = pair[0].text else { throw JSONLines.NoRow() }
      return (key, pair[1])
    }
    return .init(pairs) { $1 }
  }
}
