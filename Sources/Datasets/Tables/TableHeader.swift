import Wording

/// Indices of the known columns in one file: found by name, units checked.
struct TableHeader {
  /// For every known column its index in the file; -1 where absent.
  let indices: [Int]
  /// Cells in a row.
  let count: Int
  /// One line per unknown column.
  let warnings: [String]

  init(
    _ bytes: UnsafeBufferPointer<UInt8>, path: String, line: Int, columns: [Column]
  ) throws(DatasetError) {
    func fault(_ found: String, _ expected: String) -> DatasetError {
      DatasetError(file: path, line: line, found: found, expected: expected)
    }
    let wanted =
      "a header such as #\(columns.filter(\.isNeeded).map { "\($0.name) [\($0.units[0])]" }.joined(separator: ","))"
    guard let text = String(validating: bytes, as: UTF8.self), !text.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 })
    else { throw fault("binary data", wanted) }
    if let first = text.utf8.first, first >= 0x30 && first <= 0x39 || first == 0x2D {
      throw fault("a row of numbers", wanted)
    }

    var indices = [Int](repeating: -1, count: columns.count)
    var unknown: [String] = []
    let cells = text.split(separator: ",", omittingEmptySubsequences: false)
    for (position, cell) in cells.enumerated() {
      var title = Self.trim(cell)
      if title.first == "#" { title = Self.trim(title.dropFirst()) }
      let open = title.firstIndex(of: "[")
      let name = String(Self.trim(title[..<(open ?? title.endIndex)]))
      guard let index = columns.firstIndex(where: { $0.name == name }) else {
        unknown.append(name)
        continue
      }
      guard indices[index] < 0 else { throw fault("column \(name) twice", "every column once") }
      indices[index] = position
      guard let open else { continue }
      let remainder = title[title.index(after: open)...]
      guard let close = remainder.firstIndex(of: "]") else { throw fault("'\(title)'", "the unit of \(name) in [ ]") }
      let unit = String(Self.trim(remainder[..<close]))
      guard columns[index].units.contains(unit) else {
        throw fault("unit [\(unit)] of column \(name)", "[\(columns[index].units[0])]")
      }
    }

    let absent = zip(columns, indices).filter { $0.1 < 0 }.map(\.0)
    for name in unknown {
      if let intended = Spelling.intended(name, among: absent.map(\.name)) {
        throw fault("column '\(name)'", "'\(intended)' (a slip of the pen?)")
      }
    }
    if let missing = absent.first(where: \.isNeeded) {
      throw fault(text.isEmpty ? "an empty line" : "no column \(missing.name)", wanted)
    }
    self.indices = indices
    self.count = cells.count
    self.warnings = unknown.map { "\(path):\(line): column '\($0.prefix(64))' is not known and not used" }
  }

  private static func trim(_ text: Substring) -> Substring {
    var text = text
    while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return text
  }
}

/// A known column: name before the `[`, unit, whether it is required, permitted values.
struct Column {
  var name: String
  /// The unit as in the format, then other spellings of it; without brackets.
  var units: [String]
  var isNeeded: Bool
  /// Range of its numbers; beyond, it is no reading of such a sensor.
  var bounds: ClosedRange<Double>
  /// True for names.
  var isText = false

  /// A column of numbers.
  init(_ name: String, _ units: String..., needed: Bool = true, bounds: ClosedRange<Double> = -1e9...1e9) {
    self.name = name
    self.units = units
    self.isNeeded = needed
    self.bounds = bounds
  }

  /// A column of names.
  static func text(_ name: String, needed: Bool = true) -> Column {
    var column = Column(name, "", needed: needed)
    column.isText = true
    return column
  }

  /// Every table begins with these two, at indices 0 and 1.
  static let time = [Column("timestamp", "ns"), Column("arrival", "ns", needed: false)]

  /// Position and, with `rotation`, attitude under EuRoC's names.
  static func pose(rotation isNeeded: Bool = true) -> [Column] {
    ["x", "y", "z"].map { Column("p_RS_R_\($0)", "m", bounds: SensorBounds.position) }
      + ["w", "x", "y", "z"].map { Column("q_RS_\($0)", "", "1", needed: isNeeded, bounds: -2...2) }
  }

  /// Expected contents of a cell, for messages.
  var expectation: String { isText ? "a name" : units[0].isEmpty ? "a number" : "a number [\(units[0])]" }
}
