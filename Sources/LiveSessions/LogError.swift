/// What can go wrong with the log.
package enum LogError: Error, Equatable, Sendable, CustomStringConvertible {
  /// No space is left: nothing of the record was kept.
  case full(path: String)
  /// A file cannot be read or written.
  case file(path: String, cause: String)
  /// A segment of another version.
  case version(path: String, found: String, expected: String)
  /// Another process has the folder.
  case busy(path: String)

  package var description: String {
    switch self {
    case .full(let path): "\(path): no space left, expected room for the log"
    case .file(let path, let cause): "\(path): \(cause)"
    case .version(let path, let found, let expected):
      "\(path): a log of fuse \(found), expected \(expected): its numbers may differ; serve it with that version, "
        + "or take its sessions out: fuse serve --export <data folder> -o <folder>, and give another --data"
    case .busy(let path): "\(path): another fuse-serve has it, expected a data folder of its own"
    }
  }
}
