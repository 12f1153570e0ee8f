/// Reads `updates.jsonl` line by line: memory does not grow with the file.
package final class UpdateReader {
  private let lines: LineReader

  /// Opens the file of a run's folder.
  package init(folder: String) throws(DatasetError) {
    lines = try LineReader(path: "\(folder)/\(OutputFolder.updatesName)")
  }

  /// The next update; nil at the end.
  ///
  /// - Throws: `DatasetError` with file and line for a line that is no update.
  package func next() throws(DatasetError) -> UpdateRecord? {
    while let line = try lines.next() {
      if line.isEmpty { continue }
      do { return try UpdateRecord(line: line) } catch {
        throw DatasetError(file: lines.path, line: lines.line, found: error.words, expected: "an update as JSON")
      }
    }
    return nil
  }

  /// The line last read, from 1.
  package var line: Int { lines.line }
  /// The file.
  package var path: String { lines.path }
}
