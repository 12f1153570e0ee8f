import Datasets
import JSONText

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
