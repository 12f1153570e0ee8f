/// A fault of a recording that ends its reading: which file, which line, what was found and what was expected.
package struct DatasetError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The file, as the user named the folder, joined with the path inside it.
  package var file: String
  /// The line, counted from 1; nil where the whole file is meant.
  package var line: Int?
  /// What was found.
  package var found: String
  /// What was expected.
  package var expected: String

  /// A fault from its parts.
  package init(file: String, line: Int? = nil, found: String, expected: String) {
    self.file = file
    self.line = line
    self.found = found
    self.expected = expected
  }

  /// `error: <file>:<line>: <found>, expected <expected>`, one line.
  package var description: String {
    "error: \(file)\(line.map { ":\($0)" } ?? ""): \(found), expected \(expected)"
  }
}
