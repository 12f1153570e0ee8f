import Evaluation
import Report

/// Figures as a table of limited width: every figure in a row where all subjects fit side by side, otherwise a row a
/// subject with the columns that fit.
package enum EvalTable {
  /// A figure's title, and its text for each subject.
  package typealias Row = (title: String, cells: [String])

  /// What is left out is said at the end.
  package static let note = "More figures, and intervals: fewer subjects, --format markdown, --format jsonl."

  /// The lines.
  ///
  /// - Parameters:
  ///   - names: of the subjects.
  ///   - blocks: titles and figures, of all.
  ///   - chosen: the figures of the narrow form, most important first, with short titles.
  package static func lines(
    names: [String], blocks: [(title: String, rows: [Row])], chosen: [Row], width: Int
  ) -> [String] {
    let names = short(names)
    let whole = transposed(names, blocks)
    if whole.allSatisfy({ $0.count <= width }) || names.count == 1 { return whole }
    var columns = chosen
    while columns.count > 1 {
      let table = narrow(names, columns)
      if table.allSatisfy({ $0.count <= width }) { break }
      columns.removeLast()
    }
    return narrow(names, columns) + ["", note]
  }

  /// A column a subject, the blocks below each other.
  private static func transposed(_ names: [String], _ blocks: [(title: String, rows: [Row])]) -> [String] {
    var table = Table([.left] + names.map { _ in .right })
    for (index, block) in blocks.enumerated() {
      if index > 0 { table.add([]) }
      table.add([block.title] + (index == 0 ? names : []))
      for row in block.rows { table.add(["  " + row.title] + row.cells) }
    }
    return table.lines(indent: 0)
  }

  private static func narrow(_ names: [String], _ columns: [Row]) -> [String] {
    var table = Table([.left] + columns.map { _ in .right })
    table.add([""] + columns.map(\.title))
    for (index, name) in names.enumerated() { table.add([name] + columns.map { $0.cells[index] }) }
    return table.lines(indent: 0)
  }

  /// Names without their folders where these are distinct.
  static func short(_ names: [String]) -> [String] {
    let last = names.map { name in name.split(separator: "/").last.map(String.init) ?? name }
    return Set(last).count == names.count ? last : names
  }
}
