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
  /// The process may open no further file.
  case descriptor(path: String)
  /// The system gives no further thread.
  case thread(cause: String)

  package var description: String {
    switch self {
    case .full(let path): "\(path): no space left, expected room for the log"
    case .file(let path, let cause): "\(path): \(cause)"
    case .version(let path, let found, let expected):
      "\(path): a log of fuse \(found), expected \(expected): its numbers may differ; serve it with that version, "
        + "or take its sessions out: fuse serve --export <data folder> -o <folder>, and give another --data"
    case .descriptor(let path):
      "\(path): no descriptor is left, expected one: raise the limit of open files, or lower --max-connections"
    case .thread(let cause): "the system gives no further thread (\(cause)), expected one: raise its limit of tasks"
    case .busy(let path): "\(path): another fuse-serve has it, expected a data folder of its own"
    }
  }

  /// The word of a limit of the system that is reached; nil for another error.
  package var limit: String? {
    switch self {
    case .descriptor: "descriptors"
    case .thread: "threads"
    default: nil
    }
  }
}
