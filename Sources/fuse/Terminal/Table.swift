/// Rows of text in aligned columns.
struct Table {
  /// Alignment of a column.
  enum Alignment { case left, right }

  private let alignments: [Alignment]
  private var rows: [[String]] = []

  /// A table with one alignment per column.
  init(_ alignments: [Alignment]) { self.alignments = alignments }

  /// Adds a row; missing cells are empty.
  mutating func add(_ cells: [String]) { rows.append(cells) }

  /// The lines, two blanks between columns, no blanks at the end.
  func lines(indent: Int = 2) -> [String] {
    let widths = alignments.indices.map { column in rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
    return rows.map { row in
      var line = String(repeating: " ", count: indent)
      for (column, cell) in row.enumerated() {
        if column > 0 { line += "  " }
        line += alignments[column] == .left ? Words.left(cell, widths[column]) : Words.right(cell, widths[column])
      }
      while line.last == " " { line.removeLast() }
      return line
    }
  }
}
