import Datasets
import Foundation
import Importing
import Testing

/// How people's files are spelt: what is harmless imports to the same bytes, what is not is refused with file, line and
/// remedy. The same for each kind of text with a header.
@Suite struct SpellingTests {
  /// One table of each kind, its separator, and the column, from 1, of a number.
  static let tables: [(kind: ImportKind, file: String, mark: String, number: Int)] = [
    (.starloc, "uwb.csv", ",", 2), (.starloc, "imu.csv", ",", 2), (.miluv, "data/default_1/ifo001/mocap.csv", ",", 3),
    (.miluv, "data/default_1/ifo001/imu_px4.csv", ",", 3), (.arkitNI, "arkit.csv", ",", 3),
    (.arkitNI, "motion.csv", ",", 4),
    (.stray, "odometry.csv", ",", 3), (.stray, "imu.csv", ",", 3), (.sensorLogger, "Gyroscope.csv", ",", 3),
    (.sensorLogger, "poses.csv", ",", 4), (.csv, "imu.csv", ";", 3), (.csv, "poses.csv", ",", 2),
  ]

  private static func edit(_ text: String, _ change: ([String]) -> [String]) -> String {
    change(text.components(separatedBy: "\n")).joined(separator: "\n")
  }

  @Test(arguments: tables) func harmlessOnesImportToTheSameFolder(
    table: (kind: ImportKind, file: String, mark: String, number: Int)
  ) throws {
    let (source, plain) = (try Folder(), try Folder())
    let (path, map) = try ForeignSamples.write(table.kind, to: source)
    _ = try Importer.run(table.kind, source: path, output: plain.url.path, options: .init(map: map))
    let text = try source.text(table.file), expected = try plain.contents()
    let semicolons = text.replacingOccurrences(of: ",", with: ";")
    for (name, spelling) in [
      ("a byte order mark", "\u{FEFF}" + text), ("CR LF", text.replacingOccurrences(of: "\n", with: "\r\n")),
      ("semicolons", semicolons), ("what a spreadsheet says first", "sep=;\n" + semicolons),
      ("tabs", text.replacingOccurrences(of: table.mark, with: "\t")),
      ("an empty line at the end", text + "\n"), ("no line end", String(text.dropLast())),
      (
        "quotes",
        Self.edit(text) {
          $0.map { line in
            line.isEmpty
              ? line : line.components(separatedBy: table.mark).map { "\"\($0)\"" }.joined(separator: table.mark)
          }
        }
      ),
      (
        "a separator behind the last cell",
        Self.edit(text) { [$0[0]] + $0.dropFirst().map { $0.isEmpty ? $0 : $0 + table.mark } }
      ),
    ] {
      let output = try Folder()
      try source.write(table.file, spelling)
      _ = try Importer.run(table.kind, source: path, output: output.url.path, options: .init(map: map))
      #expect(try output.contents() == expected, "\(name)")
    }
  }

  struct Fault: Sendable {
    var name: String
    var line: Int
    var found: String
    var remedy: String
    var damage: @Sendable (_ text: String, _ mark: String, _ number: Int) -> String
  }

  private static func cell(_ text: String, _ line: Int, _ column: Int, _ mark: String, _ value: String) -> String {
    edit(text) { lines in
      var lines = lines, cells = lines[line - 1].components(separatedBy: mark)
      cells[column - 1] = value
      lines[line - 1] = cells.joined(separator: mark)
      return lines
    }
  }

  static let faults: [Fault] = [
    Fault(name: "nothing", line: 1, found: "an empty file", remedy: "a header and rows") { _, _, _ in "" },
    Fault(name: "no row", line: 1, found: "a header and no rows", remedy: "rows below it") { text, _, _ in
      text.components(separatedBy: "\n")[0] + "\n"
    },
    Fault(name: "no header", line: 1, found: "a row of numbers", remedy: "a header line before it") { text, _, _ in
      edit(text) { Array($0.dropFirst()) }
    },
    Fault(name: "UTF-16", line: 1, found: "UTF-16", remedy: "CSV UTF-8") { text, _, _ in "\u{1}UTF-16" + text },
    Fault(name: "CR alone", line: 1, found: "CR alone", remedy: "LF or CR LF") { text, _, _ in
      text.components(separatedBy: "\n").prefix(9).joined(separator: "\r")
    },
    Fault(name: "a decimal comma", line: 3, found: "'1,5'", remedy: "0.5 for 0,5") { text, mark, number in
      cell(text.replacingOccurrences(of: mark, with: ";"), 3, number, ";", "1,5")
    },
    Fault(name: "NaN", line: 4, found: "'nan'", remedy: "a finite number") { text, mark, number in
      cell(text, 4, number, mark, "nan")
    },
    Fault(name: "an empty cell", line: 5, found: "with an empty cell", remedy: "a finite number") {
      text, mark, number in
      cell(text, 5, number, mark, "")
    },
    Fault(name: "a huge number", line: 5, found: "'1e300'", remedy: "1e9") { text, mark, number in
      cell(text, 5, number, mark, "1e300")
    },
    Fault(name: "another count", line: 6, found: "cells", remedy: "as in the header") { text, mark, _ in
      edit(text) { $0.enumerated().map { $0.offset == 5 ? $0.element + "\(mark)1\(mark)2" : $0.element } }
    },
    Fault(name: "a time of text", line: 2, found: "'12:30'", remedy: "a time in") { text, mark, _ in
      cell(text, 2, 1, mark, "12:30")
    },
    Fault(name: "cut short", line: 8, found: "(the last row is cut short)", remedy: "as in the header") {
      text, mark, _ in
      let lines = text.components(separatedBy: "\n").prefix(8)
      return lines.dropLast().joined(separator: "\n") + "\n" + lines.last!.components(separatedBy: mark)[0]
    },
  ]

  @Test(arguments: tables, faults.indices) func harmfulOnesAreRefused(
    table: (kind: ImportKind, file: String, mark: String, number: Int), index: Int
  ) throws {
    let fault = Self.faults[index]
    let (source, output) = (try Folder(), try Folder())
    let (path, map) = try ForeignSamples.write(table.kind, to: source)
    let damaged = fault.damage(try source.text(table.file), table.mark, table.number)
    if fault.name == "UTF-16" {
      let bytes = try #require(damaged.dropFirst(7).data(using: .utf16))
      try bytes.write(to: URL(fileURLWithPath: source.path(table.file)))
    } else {
      try source.write(table.file, damaged)
    }
    let error = try #require(throws: DatasetError.self, "\(fault.name)") {
      try Importer.run(table.kind, source: path, output: output.url.path, options: .init(map: map))
    }
    #expect(error.file == source.path(table.file) && error.line == fault.line, "\(fault.name): \(error)")
    #expect(error.found.contains(fault.found) && error.expected.contains(fault.remedy), "\(fault.name): \(error)")
  }
}
