/// Why a dataset folder could not be written.
package enum DatasetWritingError: Error, Equatable, CustomStringConvertible {
  /// A value is not finite or too large for its column.
  case unwritable(file: String, line: Int, value: Double)
  /// The file or its folder cannot be written.
  case file(String, reason: String)

  /// `file:line: problem`
  package var description: String {
    switch self {
    case .unwritable(let file, let line, let value):
      "\(file):\(line): the value \(value) cannot be written, expected a finite number"
    case .file(let file, let reason): "\(file): cannot be written: \(reason)"
    }
  }
}
