/// Why results could not be written.
package enum OutputError: Error, Equatable, CustomStringConvertible {
  /// The folder cannot be made or opened.
  case folder(path: String, cause: String)
  /// Another run is writing there.
  case busy(path: String)
  /// A file cannot be written.
  case file(path: String, cause: String)

  package var description: String {
    switch self {
    case .folder(let path, let cause): "\(path): cannot be used as the output folder: \(cause)"
    case .busy(let path): "\(path): another run is writing there"
    case .file(let path, let cause): "\(path): cannot be written: \(cause)"
    }
  }
}
