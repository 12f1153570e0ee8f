/// A table in a page of Markdown.
package enum MarkdownTable {
  /// Its lines.
  ///
  /// - Parameter texts: columns of texts, the first ones; the others are numbers; nil: all.
  package static func lines(_ head: [String], _ rows: [[String]], texts: Int? = nil) -> [String] {
    let rules = head.indices.map { $0 < texts ?? head.count ? "---" : "---:" }
    return [line(head), "|\(rules.joined(separator: "|"))|"] + rows.map(line)
  }

  /// The lines of a table of one row of numbers, by column.
  package static func lines(columns: [(title: String, cell: String)]) -> [String] {
    lines(columns.map(\.title), [columns.map(\.cell)], texts: 0)
  }

  private static func line(_ cells: [String]) -> String {
    "|" + cells.map { $0.isEmpty ? " |" : " \($0) |" }.joined()
  }
}
