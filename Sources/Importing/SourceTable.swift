import Datasets

/// Why a row of a foreign table is not usable.
struct SourceFault: Error {
  /// What was found.
  var found: String
  /// What was expected.
  var expected: String
}

/// Rows of a foreign text table, streamed: columns found by any of their names, every error with file and line.
///
/// A bad row in the first 100, or more than one in 1,000 (one in ten of a radio's), ends the reading; fewer are counted
/// and skipped, as when a dataset folder is read.
final class SourceTable {
  /// A column: its names in files of this kind, best first.
  struct Column {
    var names: [String]
    var isNeeded: Bool

    init(_ names: String..., needed: Bool = true) { (self.names, isNeeded) = (names, needed) }
    init(names: [String], needed: Bool = true) { (self.names, isNeeded) = (names, needed) }
  }

  /// What separates cells.
  enum Separator { case comma, semicolon, tab, blanks }

  let path: String
  /// Rows read, bad ones included.
  private(set) var rows = 0
  /// Bad rows skipped.
  private(set) var bad = 0
  private let lines: LineReader
  private let separator: Separator
  private let tolerance: Int
  private var indices: [Int]
  private var names: [String]
  private var starts: [Int] = []
  private var ends: [Int] = []
  private var line = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
  private var firstBad: DatasetError?
  private var isPending = false

  /// Opens a table with a header.
  ///
  /// - Parameters:
  ///   - header: the names of the columns, in order, of a file without a header.
  ///   - isRadio: up to a tenth of the rows may be bad.
  init(
    path: String, columns: [Column], separator: Separator? = nil, header: [String]? = nil, isRadio: Bool = false
  ) throws(DatasetError) {
    self.path = path
    tolerance = isRadio ? 10 : 1000
    lines = try LineReader(path: path)
    var text = ""
    if header == nil {
      guard let first = try lines.next() else {
        throw DatasetError(file: path, line: 1, found: "an empty file", expected: "a header and rows")
      }
      guard let decoded = String(validating: first, as: UTF8.self) else {
        throw DatasetError(file: path, line: 1, found: "binary data", expected: "a header of column names")
      }
      text = decoded
    }
    let found = separator ?? Self.separator(of: text)
    self.separator = found
    names = header ?? Self.cells(text, found)
    indices = []
    var missing: [String] = []
    for column in columns {
      let index = column.names.lazy.compactMap { name in self.names.firstIndex { Self.isSame($0, name) } }.first
      indices.append(index ?? -1)
      if index == nil, column.isNeeded { missing.append(column.names.joined(separator: " or ")) }
    }
    guard missing.isEmpty else {
      throw DatasetError(
        file: path, line: 1, found: "columns \(names.joined(separator: ", ").prefix(300))",
        expected: "also \(missing.joined(separator: "; "))")
    }
    starts = [Int](repeating: 0, count: names.count + 1)
    ends = starts
  }

  /// The names of a file's columns, for guesses; nil where it has no header.
  static func header(_ path: String) -> [String]? {
    guard let lines = try? LineReader(path: path), let first = try? lines.next(),
      let text = String(validating: first, as: UTF8.self)
    else { return nil }
    return cells(text, separator(of: text))
  }

  private static func separator(of text: String) -> Separator {
    if text.contains(",") { return .comma }
    if text.contains(";") { return .semicolon }
    return text.contains("\t") ? .tab : .blanks
  }

  private static func cells(_ text: String, _ separator: Separator) -> [String] {
    let parts: [Substring] =
      switch separator {
      case .comma: text.split(separator: ",", omittingEmptySubsequences: false)
      case .semicolon: text.split(separator: ";", omittingEmptySubsequences: false)
      case .tab: text.split(separator: "\t", omittingEmptySubsequences: false)
      case .blanks: text.split(whereSeparator: { $0 == " " || $0 == "\t" })
      }
    return parts.map { part in
      var name = part.trimmingSpaces()
      while let first = name.first, "#\"%".contains(first) { name = name.dropFirst().trimmingSpaces() }
      if name.last == "\"" { name.removeLast() }
      return String(name)
    }
  }

  /// Equal but for case, and for a unit in brackets behind the name.
  private static func isSame(_ found: String, _ name: String) -> Bool {
    if found.lowercased() == name.lowercased() { return true }
    guard let bracket = found.firstIndex(where: { $0 == "[" || $0 == "(" }) else { return false }
    return found[..<bracket].trimmingSpaces().lowercased() == name.lowercased()
  }

  /// Whether the file has the column.
  func has(_ column: Int) -> Bool { indices[column] >= 0 }

  /// The next row that `decode` makes something of; nil at the end. `decode` returns nil for a row to leave out.
  @inline(__always)
  func next<Row>(_ decode: (SourceTable) throws(SourceFault) -> Row?) throws(DatasetError) -> Row? {
    while let bytes = try lines.next() {
      if bytes.isEmpty || bytes[0] == 0x23 && rows > 0 { continue }
      rows += 1
      line = bytes
      do throws(SourceFault) {
        try split()
        if let row = try decode(self) { return row }
      } catch { try reject(error) }
    }
    try limit(remaining: 0)
    return nil
  }

  /// A fault of the current line.
  func error(_ fault: SourceFault) -> DatasetError {
    DatasetError(file: path, line: lines.line, found: fault.found, expected: fault.expected)
  }

  private func split() throws(SourceFault) {
    var cell = 0
    let count = line.count, base = line.baseAddress!
    if separator == .blanks {
      var i = 0
      while i < count {
        while i < count, base[i] == 0x20 || base[i] == 0x09 { i += 1 }
        if i == count { break }
        if cell < names.count { starts[cell] = i }
        while i < count, base[i] != 0x20, base[i] != 0x09 { i += 1 }
        if cell < names.count { ends[cell] = i }
        cell += 1
      }
    } else {
      let mark: UInt8 = separator == .comma ? 0x2C : separator == .semicolon ? 0x3B : 0x09
      var start = 0
      for i in 0..<count where base[i] == mark {
        if cell < names.count { (starts[cell], ends[cell]) = (start, i) }
        start = i + 1
        cell += 1
      }
      if cell < names.count { (starts[cell], ends[cell]) = (start, count) }
      cell += 1
    }
    guard cell == names.count || cell == names.count + 1 && line[count - 1] == 0x2C else {
      throw SourceFault(found: "\(cell) cells", expected: "\(names.count) as in the header")
    }
  }

  /// The bytes of a cell without blanks and quotes around it; empty where the column is absent.
  @inline(__always)
  private func cell(_ column: Int) -> (start: UnsafePointer<UInt8>, count: Int) {
    let index = indices[column], base = line.baseAddress!
    guard index >= 0 else { return (base, 0) }
    var (first, last) = (starts[index], ends[index])
    while first < last, base[first] == 0x20 || base[first] == 0x22 { first += 1 }
    while last > first, base[last - 1] == 0x20 || base[last - 1] == 0x22 { last -= 1 }
    return (base + first, last - first)
  }

  private func name(_ column: Int) -> String { indices[column] < 0 ? "" : names[indices[column]] }

  private func shown(_ column: Int) -> String {
    let (start, count) = cell(column)
    return "'\(String(decoding: UnsafeBufferPointer(start: start, count: min(count, 40)), as: UTF8.self))'"
  }

  /// A finite number.
  @inline(__always)
  func number(_ column: Int) throws(SourceFault) -> Double {
    let (start, count) = cell(column)
    if case .number(let value) = NumberText.double(start, count) { return value }
    throw SourceFault(found: "\(name(column)) \(shown(column))", expected: "a finite number")
  }

  /// The same; nil for an empty cell, NaN, or an absent column.
  func numberIfAny(_ column: Int) throws(SourceFault) -> Double? {
    let (start, count) = cell(column)
    if count == 0 { return nil }
    switch NumberText.double(start, count) {
    case .number(let value): return value
    case .notFinite: return nil
    case .text: throw SourceFault(found: "\(name(column)) \(shown(column))", expected: "a number, or nothing")
    }
  }

  /// Three numbers, from three columns on.
  @inline(__always)
  func vector(_ column: Int) throws(SourceFault) -> SIMD3<Double> {
    SIMD3(try number(column), try number(column + 1), try number(column + 2))
  }

  /// A name, at most 64 bytes, without commas; nil for an empty cell or an absent column. `7.0` is `7`.
  func text(_ column: Int) throws(SourceFault) -> String? {
    var (start, count) = cell(column)
    if count == 0 { return nil }
    if count > 2, start[count - 1] == 0x30, start[count - 2] == 0x2E, NumberText.integer(start, count - 2) != nil {
      count -= 2
    }
    let bytes = UnsafeBufferPointer(start: start, count: count)
    guard count <= 64, let text = String(validating: bytes, as: UTF8.self),
      !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == 0x2C })
    else { throw SourceFault(found: "\(name(column)) \(shown(column))", expected: "a name of at most 64 bytes") }
    return text
  }

  /// A time in whole nanoseconds, exact for decimal texts.
  @inline(__always)
  func time(_ column: Int, _ unit: DecimalTime.Unit) throws(SourceFault) -> Int64 {
    let (start, count) = cell(column)
    guard let value = DecimalTime.nanoseconds(start, count, unit) else {
      throw SourceFault(found: "\(name(column)) \(shown(column))", expected: "a time in \(unit.rawValue)")
    }
    return value
  }

  private func reject(_ fault: SourceFault) throws(DatasetError) {
    let described = error(fault)
    if !lines.isTerminated, rows > 100 { return bad += 1 }  // the recording was cut off
    if rows <= 100 { throw described }
    bad += 1
    if firstBad == nil { firstBad = described }
    try limit(remaining: lines.size - lines.consumed)
  }

  private func limit(remaining: Int64) throws(DatasetError) {
    guard let firstBad else { return }
    let possible = Int64(rows) + max(0, remaining) / Int64(2 * names.count)
    if Int64(bad) * Int64(tolerance) > possible {
      throw DatasetError(
        file: path, line: firstBad.line, found: "\(bad) bad rows in \(rows), here the first: \(firstBad.found)",
        expected: "at most one in \(tolerance); here \(firstBad.expected)")
    }
  }
}

extension StringProtocol {
  /// Without blanks at either end.
  func trimmingSpaces() -> Substring {
    var rest = Substring(self)
    while let first = rest.first, first == " " || first == "\t" { rest.removeFirst() }
    while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
    return rest
  }
}
