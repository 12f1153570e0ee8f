/// Why results could not be written.
package enum OutputError: Error, Equatable, CustomStringConvertible {
  /// The folder cannot be made or opened.
  case folder(path: String, cause: String)
  /// Another process is writing there.
  case busy(path: String)
  /// A file cannot be written.
  case file(path: String, cause: String)
  /// What is there is not to be replaced.
  case occupied(path: String, found: String)
  /// The output would replace what the command reads.
  case input(path: String)

  package var description: String {
    switch self {
    case .folder(let path, let cause): "\(path): cannot be used as the output folder: \(cause)"
    case .busy(let path): "\(path): another process is writing there, expected one at a time"
    case .file(let path, let cause): "\(path): cannot be written: \(cause)"
    case .occupied(let path, let found):
      "\(path): found \(found), expected a regular file that may be written, or nothing; it is left as it is"
    case .input(let path): "\(path): is an input of this command, expected an output beside it; it is left as it is"
    }
  }
}
