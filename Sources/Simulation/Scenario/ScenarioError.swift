/// Why a scenario file cannot be used.
package struct ScenarioError: Error, Equatable, CustomStringConvertible {
  /// The file, as named by the caller.
  package let file: String
  /// Line of the fault, from 1; nil where the fault has no line.
  package let line: Int?
  /// What was found and what was expected, in one line.
  package let problem: String

  /// An error from its parts. `problem` may quote the file: control characters become blanks, and more than 1000
  /// characters are truncated.
  init(file: String, line: Int?, problem: String) {
    self.file = file
    self.line = line
    let isLong = problem.count > 1000
    let scalars = problem.prefix(1000).unicodeScalars.map { $0.value < 32 || $0.value == 127 ? " " : Character($0) }
    self.problem = String(scalars) + (isLong ? "..." : "")
  }

  /// `file:line: problem`
  package var description: String { file + (line.map { ":\($0)" } ?? "") + ": " + problem }
}
