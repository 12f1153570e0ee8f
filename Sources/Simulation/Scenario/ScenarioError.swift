/// Why a scenario file cannot be used.
package struct ScenarioError: Error, Equatable, CustomStringConvertible {
  /// The file, as it was named.
  package let file: String
  /// Line of the fault, from 1; nil where the fault has no line.
  package let line: Int?
  /// What was found and what was expected.
  package let problem: String

  /// `file:line: problem`
  package var description: String { file + (line.map { ":\($0)" } ?? "") + ": " + problem }
}
