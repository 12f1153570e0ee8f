import Datasets
import JSONText

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

  /// A line that is no row.
  struct NoRow: Error {}
}
