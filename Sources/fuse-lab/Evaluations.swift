import ArgumentParser
import Datasets
import Evaluation
import Foundation
import JSONText
import Wording

/// Files of lines of JSON.
enum JSONLines {
  /// What is made of each line but empty ones, and those of which nothing is.
  ///
  /// - Parameter expected: what a line is, for people.
  /// - Throws: `DatasetError` with file and line for what is no JSON, or throws in `read`.
  static func read<Row>(_ path: String, expected: String, _ read: (JSONValue) throws -> Row?) throws -> [Row] {
    var rows: [Row] = []
    let lines = try LineReader(path: path)
    while let line = try lines.next() {
      guard !line.isEmpty else { continue }
      do {
        if let row = try read(JSONValue(line)) { rows.append(row) }
      } catch {
        throw DatasetError(file: path, line: lines.line, found: "no row", expected: expected)
      }
    }
    return rows
  }

  /// Lines that are objects, of any length.
  ///
  /// - Throws: `LabError` for another line.
  static func objects(_ text: [UInt8], of source: String) throws -> [JSONValue] {
    try text.split(separator: UInt8(ascii: "\n")).map { line in
      guard let row = line.withUnsafeBufferPointer({ try? JSONValue($0) }), row.members != nil else {
        throw LabError("\(source): found a line that is no row of JSON, expected rows alone")
      }
      return row
    }
  }

  /// A line that is no row.
  struct NoRow: Error {}
}

/// Rows of `fuse eval`, and where they are kept.
struct EvaluationOptions: ParsableArguments {
  @Option(
    help: """
      Keeps the rows there. What is there already is not run again, so a build and its numbers have a folder of their \
      own. Default: a folder beside the page's figures, made again.
      """)
  var rows: String?

  @OptionGroup var fuse: FuseOption

  /// The evaluations of a page.
  func evaluations(_ page: String) throws -> Evaluations {
    let checkout = try Checkout()
    let folder = rows ?? "\(checkout.root)/.build/pages/\(page)"
    if rows == nil, RegularFile.isFolder(folder) { try FileManager.default.removeItem(atPath: folder) }
    return Evaluations(checkout: checkout, fuse: try fuse.command(), jobs: fuse.jobs, folder: folder)
  }
}

/// The evaluations of a page: lines of JSON, of which it is made.
struct Evaluations: Sendable {
  let checkout: Checkout
  /// The command that is measured.
  let fuse: ChildCommand
  /// Runs at a time.
  let jobs: Int
  /// Of the files `<name>.jsonl`.
  let folder: String

  /// Rows that are there under this name, or are made, and kept.
  func kept(_ name: String, _ rows: () throws -> [JSONValue]) throws -> [JSONValue] {
    let path = "\(folder)/\(name.replacing(", ", with: "-").replacing(" ", with: "-")).jsonl"
    if !RegularFile.exists(path) {
      let lines = try rows().map { $0.line + "\n" }
      try TextFile.write(lines.joined(), to: path)
    }
    return try JSONLines.objects(RegularFile.bytes(path, limit: 1 << 30), of: path)
  }

  /// The rows of `fuse eval` with these words.
  func rows(_ name: String, _ words: [String]) throws -> [JSONValue] {
    try kept(name) {
      StandardError.line(name)
      return try fuse.rows(["eval"] + words + ["--quiet", "--jobs", "\(jobs)", "--format", "jsonl"])
    }
  }

  /// Recordings of the shared data, those that are there.
  func recordings(_ names: [String]) -> [String] {
    names.map { "\(checkout.sharedData)/\($0)" }.filter(RegularFile.isFolder)
  }
}

extension JSONValue {
  /// The name of what is evaluated, without its folder.
  var name: String { self["name"]?.text?.split(separator: "/").last.map(String.init) ?? "" }

  subscript(key: FigureKey) -> Double? { self[key.name]?.double }

  /// Trials of the row that are counted by a share of them.
  func count(_ share: FigureKey) -> Int { Int(((self["trials"]?.double ?? 0) * (self[share] ?? 0)).rounded()) }
}

/// A figure of rows of `fuse eval`, as a column.
struct FigureColumn {
  let title: String
  let key: FigureKey
  private let factor: Double
  private let decimals: Int

  init(_ title: String, _ key: FigureKey, _ decimals: Int = 1) {
    (self.title, self.key, factor, self.decimals) = (title, key, 1, decimals)
  }

  /// Of a share.
  init(percent title: String, _ key: FigureKey) {
    (self.title, self.key, factor, decimals) = (title, key, 100, 1)
  }

  /// The printed number, rounded; nil without one.
  func value(_ row: JSONValue) -> Double? { row[key].map { Digits.rounded(factor * $0, decimals) } }

  /// The number as text.
  func text(_ row: JSONValue) -> String { Digits.fixed(row[key].map { factor * $0 }, decimals) }

  /// The number with its 95 % interval, where it has one.
  func cell(_ row: JSONValue) -> String {
    let ends = row["confidence95"]?[key.name]?.elements?.compactMap(\.double) ?? []
    guard ends.count == 2 else { return text(row) }
    return "\(text(row)) [\(ends.map { Digits.fixed(factor * $0, decimals) }.joined(separator: ", "))]"
  }
}

extension [FigureColumn] {
  /// What a search is judged by first.
  static let finding = [
    FigureColumn("angle ° median", .angleErrorDegrees), .init("° 90 %", .angleErrorDegrees90),
    .init(percent: "over 20° off %", .wrongAngles), .init(percent: "coverage %", .coverage90),
    .init("first angle s", .firstAngle), .init(percent: "converged %", .convergedShare),
    .init(percent: "false %", .falseConverged),
  ]

  /// A table of some rows.
  func table(
    _ first: String, _ rows: [(name: String, row: JSONValue)], hasIntervals: Bool = true
  ) -> [String] {
    let cells = rows.map { row in [row.name] + map { hasIntervals ? $0.cell(row.row) : $0.text(row.row) } }
    return MarkdownTable.lines([first] + map(\.title), cells, texts: 1)
  }

  /// All figures that any of some rows has: a line each.
  static func allFigures(_ rows: [(name: String, row: JSONValue)]) -> String {
    let columns = FigureKey.all.map { FigureColumn($0.name, $0, 4) }
    let known = columns.filter { column in rows.contains { column.value($0.row) != nil } }
    let cells = known.map { column in [column.title] + rows.map { column.cell($0.row) } }
    return MarkdownTable.lines(["figure"] + rows.map(\.name), cells, texts: 1).joined(separator: "\n") + "\n"
  }
}

/// Least and largest of some numbers, in print.
func span(_ values: [Double?], _ decimals: Int) -> String {
  let texts = values.compactMap(\.self).sorted().map { Digits.fixed($0, decimals) }
  guard let first = texts.first, let last = texts.last else { return "-" }
  return first == last ? first : "\(first) to \(last)"
}
