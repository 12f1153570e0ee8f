import Datasets
import JSONText

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
/// and skipped, as when a dataset folder is read. A table without a row is an error.
final class SourceTable {
  /// A column: its names in files of this kind, best first.
  struct Column {
    var names: [String]
    var isNeeded: Bool

    init(_ names: String..., needed: Bool = true) { (self.names, isNeeded) = (names, needed) }
    init(names: [String], needed: Bool = true) { (self.names, isNeeded) = (names, needed) }
  }

  let path: String
  /// Rows read, bad ones included.
  // Rows are read by one caller at a time: a check of exclusive access at every cell costs more than the cell.
  @exclusivity(unchecked) private(set) var rows = 0
  /// Bad rows skipped.
  private(set) var bad = 0
  private let lines: LineReader
  private let header: SourceHeader
  private let tolerance: Int
  private let cells: RowCells
  private var width: Int { cells.width }
  /// The cell of each column, -1 where it is absent.
  private let indices: UnsafeMutablePointer<Int>
  @exclusivity(unchecked) private var line = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
  private var firstBad: DatasetError?

  /// Opens a table with a header.
  ///
  /// - Parameters:
  ///   - names: the names of the columns, in order, of a file without a header.
  ///   - isRadio: up to a tenth of the rows may be bad.
  init(path: String, columns: [Column], names: [String]? = nil, isRadio: Bool = false) throws(DatasetError) {
    self.path = path
    tolerance = isRadio ? 10 : 1000
    lines = try LineReader(path: path)
    if let names {
      header = SourceHeader(names: names, separator: SourceHeader.peek(path)?.separator ?? .blanks)
    } else {
      header = try SourceHeader(lines)
    }
    let found = try header.indices(of: columns, path: path, line: max(1, lines.line))
    cells = RowCells(
      width: header.names.count,
      mark: header.separator == .comma ? 0x2C : header.separator == .semicolon ? 0x3B : 0x09)
    indices = .allocate(capacity: found.count)
    indices.initialize(from: found, count: found.count)
  }

  deinit { indices.deallocate() }

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
        try split(bytes)
        if let row = try decode(self) { return row }
      } catch { try reject(error) }
    }
    guard rows > 0 else {
      throw DatasetError(file: path, line: lines.line, found: "a header and no rows", expected: "rows below it")
    }
    try limit(remaining: 0)
    return nil
  }

  /// A fault of the current line.
  func error(_ fault: SourceFault) -> DatasetError {
    DatasetError(file: path, line: lines.line, found: fault.found, expected: fault.expected)
  }

  // MARK: - Cells

  @inline(__always)
  private func split(_ line: UnsafeBufferPointer<UInt8>) throws(SourceFault) {
    if header.separator == .blanks {
      let found = cells.splitAtBlanks(line)
      guard found == width else { throw wrongCount(found) }
    } else {
      let found = cells.split(line)
      // A separator behind the last cell does no harm.
      guard found == width || found == width + 1 && line[line.count - 1] == cells.mark else { throw wrongCount(found) }
    }
  }

  private func wrongCount(_ cells: Int) -> SourceFault {
    let isComma = header.separator == .comma && cells == 2 * width
    return SourceFault(
      found: "\(cells) cells\(lines.isTerminated ? "" : " (the last row is cut short)")",
      expected: "\(width) as in the header\(isComma ? "; are decimals written with commas? Write 0.5 for 0,5" : "")")
  }

  /// The bytes of a cell without blanks and quotes around it; empty where the column is absent.
  @inline(__always)
  private func cell(_ column: Int) -> (start: UnsafePointer<UInt8>, count: Int) {
    let index = indices[column]
    return index >= 0 ? cells.cell(index, of: line, unquoted: true) : (line.baseAddress!, 0)
  }

  /// The same, for what reads texts of its own.
  func bytes(_ column: Int) -> UnsafeBufferPointer<UInt8> {
    let (start, count) = cell(column)
    return UnsafeBufferPointer(start: start, count: count)
  }

  /// The name of a column in the header; empty where it is absent.
  func name(_ column: Int) -> String { indices[column] < 0 ? "" : header.names[indices[column]] }

  private func shown(_ column: Int) -> String {
    let (start, count) = cell(column)
    let text = String(decoding: UnsafeBufferPointer(start: start, count: min(count, 40)), as: UTF8.self)
    return (indices[column] < 0 ? "" : header.names[indices[column]] + " ")
      + (count == 0 ? "with an empty cell" : "'\(text)'")
  }

  private func noNumber(_ column: Int, _ expected: String) -> SourceFault {
    let (start, count) = cell(column)
    let bytes = UnsafeBufferPointer(start: start, count: count)
    // What would be a number with a point for its one comma.
    let comma = bytes.firstIndex(of: 0x2C)
    let isComma =
      comma.map { at in
        var other = Array(bytes)
        other[at] = 0x2E
        if case .number = NumberText.double(other, count) { return true }
        return false
      } ?? false
    return SourceFault(
      found: shown(column), expected: isComma ? "\(expected) with a decimal point: 0.5 for 0,5" : expected)
  }

  /// A finite number.
  @inline(__always)
  func number(_ column: Int) throws(SourceFault) -> Double {
    let (start, count) = cell(column)
    if case .number(let value) = NumberText.double(start, count), abs(value) <= 1e9 { return value }
    throw noNumber(column, "a finite number of at most 1e9")
  }

  /// The same; nil for an empty cell, NaN, or an absent column.
  func numberIfAny(_ column: Int) throws(SourceFault) -> Double? {
    let (start, count) = cell(column)
    if count == 0 { return nil }
    switch NumberText.double(start, count) {
    case .number(let value) where abs(value) <= 1e9: return value
    case .number: throw noNumber(column, "a number of at most 1e9")
    case .notFinite: return nil
    case .text: throw noNumber(column, "a number, or nothing")
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
    else { throw SourceFault(found: shown(column), expected: "a name of at most 64 bytes without commas") }
    return text
  }

  /// A time in whole nanoseconds, exact for decimal texts.
  @inline(__always)
  func time(_ column: Int, _ unit: DecimalTime.Unit) throws(SourceFault) -> Int64 {
    let (start, count) = cell(column)
    guard let value = DecimalTime.nanoseconds(start, count, unit) else { throw noTime(column, unit) }
    return value
  }

  private func noTime(_ column: Int, _ unit: DecimalTime.Unit) -> SourceFault {
    let (start, count) = cell(column)
    if let other = DecimalTime.likelyUnit(start, count), other != unit {
      return SourceFault(
        found: shown(column), expected: "a time in \(unit.rawValue); since 1970 this looks to be in \(other.rawValue)")
    }
    return noNumber(column, "a time in \(unit.rawValue)")
  }

  // MARK: - Damage

  /// Skips and counts a row that was read and cannot be used after all, or ends the reading, as for any bad row.
  func refuse(_ fault: SourceFault) throws { try reject(fault) }

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
    let possible = Int64(rows) + max(0, remaining) / Int64(2 * width)
    if Int64(bad) * Int64(tolerance) > possible {
      throw DatasetError(
        file: path, line: firstBad.line, found: "\(bad) bad rows in \(rows), here the first: \(firstBad.found)",
        expected: "at most one in \(tolerance); here \(firstBad.expected)")
    }
  }
}

/// What the first line of a foreign text table says: the separator and the names of the columns.
struct SourceHeader {
  /// What separates cells.
  enum Separator { case comma, semicolon, tab, blanks }

  let separator: Separator
  let names: [String]

  /// A header that is known, of a file without one.
  init(names: [String], separator: Separator) { (self.names, self.separator) = (names, separator) }

  /// Reads a header; a line `sep=;` before it, as spreadsheets write it, says what separates cells.
  ///
  /// - Throws: an error with file and line where there is no line, or none of text.
  init(_ lines: LineReader) throws(DatasetError) {
    guard var bytes = try lines.next() else {
      throw DatasetError(file: lines.path, line: 1, found: "an empty file", expected: "a header and rows")
    }
    var text = try Self.text(bytes, lines)
    var stated: Separator?
    if text.lowercased().hasPrefix("sep="), let mark = Self.separator(named: text.dropFirst(4)) {
      stated = mark
      guard let second = try lines.next() else {
        throw DatasetError(file: lines.path, line: 1, found: "one line", expected: "a header and rows")
      }
      bytes = second
      text = try Self.text(bytes, lines)
    }
    separator = stated ?? Self.separator(of: text)
    names = Self.cells(text, separator)
  }

  /// The header of a file, for guesses; nil where it has none.
  static func peek(_ path: String) -> SourceHeader? {
    guard let lines = try? LineReader(path: path) else { return nil }
    return try? SourceHeader(lines)
  }

  /// Whether it is a row of numbers: the file has no header.
  var isRow: Bool { names.contains { if case .number = NumberText.double($0) { true } else { false } } }

  /// The indices of columns, -1 for one that is absent and not needed.
  ///
  /// - Throws: one error that names every missing column, or the column that is there twice.
  func indices(of columns: [SourceTable.Column], path: String, line: Int) throws(DatasetError) -> [Int] {
    func fault(_ found: String, _ expected: String) -> DatasetError {
      DatasetError(file: path, line: line, found: found, expected: expected)
    }
    var indices: [Int] = [], missing: [String] = []
    for column in columns {
      var index: Int?
      for name in column.names {
        let found = names.indices.filter { Self.isSame(names[$0], name) }
        guard found.count < 2 else { throw fault("column \(name) twice", "every column once") }
        index = found.first
        if index != nil { break }
      }
      indices.append(index ?? -1)
      if index == nil, column.isNeeded { missing.append(column.names.joined(separator: " or ")) }
    }
    guard missing.isEmpty else {
      let wanted = missing.joined(separator: "; ")
      if isRow {
        throw fault("a row of numbers", "a header line before it, with the columns \(wanted)")
      }
      throw fault("columns \(names.joined(separator: ", ").prefix(300))", "also \(wanted)")
    }
    return indices
  }

  private static func text(_ bytes: UnsafeBufferPointer<UInt8>, _ lines: LineReader) throws(DatasetError) -> String {
    func fault(_ found: String, _ expected: String) -> DatasetError {
      DatasetError(file: lines.path, line: lines.line, found: found, expected: expected)
    }
    if bytes.count > 1, bytes[0] == 0xFF && bytes[1] == 0xFE || bytes[0] == 0xFE && bytes[1] == 0xFF {
      throw fault("text in UTF-16", "UTF-8: save it as 'CSV UTF-8', or 'iconv -f UTF-16 -t UTF-8'")
    }
    guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
      throw fault("binary data", "a header of column names")
    }
    guard !bytes.contains(0x0D) else {
      throw fault("lines that end in CR alone", "LF or CR LF at the end of a line: tr '\\r' '\\n'")
    }
    return text
  }

  private static func separator(named text: Substring) -> Separator? {
    switch text {
    case ",": .comma
    case ";": .semicolon
    case "\t": .tab
    default: nil
    }
  }

  private static func separator(of text: String) -> Separator {
    func count(_ mark: Character) -> Int { text.reduce(0) { $1 == mark ? $0 + 1 : $0 } }
    let (commas, semicolons) = (count(","), count(";"))
    if semicolons > commas { return .semicolon }
    if commas > 0 { return .comma }
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
