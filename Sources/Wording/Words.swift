import Foundation
import Geometry

/// Formatting of quantities for people.
package enum Words {
  /// A number with a fixed count of decimals; never "-0".
  package static func fixed(_ value: Double, _ decimals: Int) -> String {
    let text = String(format: "%.\(decimals)f", value)
    return text.hasPrefix("-") && !text.contains(where: { ("1"..."9").contains($0) }) ? String(text.dropFirst()) : text
  }

  /// An angle from straight ahead, radians, in whole degrees and a side: `12° right`.
  package static func side(_ angle: Double) -> String {
    let degrees = Angle.inDegrees(angle).rounded()
    if degrees == 0 { return "ahead" }
    if abs(degrees) == 180 { return "behind" }
    return "\(fixed(abs(degrees), 0))° " + (degrees > 0 ? "right" : "left")
  }

  /// Text padded with blanks on the right.
  package static func left(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  /// Text padded with blanks on the left.
  package static func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }

  /// A count with its noun.
  package static func count(_ number: Int, _ noun: String, plural: String? = nil) -> String {
    "\(number) \(number == 1 ? noun : plural ?? noun + "s")"
  }
}

/// Rows of text in aligned columns.
package struct Table {
  /// Alignment of a column.
  package enum Alignment { case left, right }

  private let alignments: [Alignment]
  private var rows: [[String]] = []

  /// A table with one alignment per column.
  package init(_ alignments: [Alignment]) { self.alignments = alignments }

  /// Adds a row; missing cells are empty.
  package mutating func add(_ cells: [String]) { rows.append(cells) }

  /// The lines, two blanks between columns, no blanks at the end.
  package func lines(indent: Int = 2) -> [String] {
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

/// Text in lines of a limited width.
package enum WrappedText {
  /// The words of `text` in lines of at most `width` characters; a longer word has a line of its own.
  package static func lines(_ text: String, width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if line.isEmpty {
        line = String(word)
      } else if line.count + 1 + word.count <= width {
        line += " " + word
      } else {
        lines.append(line)
        line = String(word)
      }
    }
    return line.isEmpty ? lines : lines + [line]
  }
}
