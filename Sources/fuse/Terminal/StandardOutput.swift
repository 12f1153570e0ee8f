import Foundation

/// Standard output with a buffer of its own; a reader that went away does not kill the process.
struct StandardOutput {
  private let needsReader: Bool
  private var hasReader = true
  private var buffer: [UInt8] = []

  /// - Parameter needsReader: a reader that goes away is an error, as for data that somebody wants whole; otherwise the
  ///   rest is said to nobody, as for a story that was heard far enough.
  init(needsReader: Bool) {
    self.needsReader = needsReader
    signal(SIGPIPE, SIG_IGN)
  }

  /// Writes bytes, sooner or later.
  mutating func write(_ bytes: [UInt8]) throws {
    buffer.append(contentsOf: bytes)
    if buffer.count >= 1 << 15 { try flush() }
  }

  /// Writes a line of text now: a story is read while it is told.
  mutating func line(_ text: String) throws {
    buffer.append(contentsOf: text.utf8)
    buffer.append(UInt8(ascii: "\n"))
    try flush()
  }

  /// Writes what is held back.
  mutating func flush() throws {
    var done = 0
    while hasReader, done < buffer.count {
      let count = buffer.withUnsafeBytes { Foundation.write(STDOUT_FILENO, $0.baseAddress! + done, $0.count - done) }
      if count < 0 {
        if errno == EINTR { continue }
        if errno == EPIPE, !needsReader {
          hasReader = false
          break
        }
        throw CommandError("standard output: cannot be written: \(String(cString: strerror(errno)))")
      }
      done += count
    }
    buffer.removeAll(keepingCapacity: true)
  }
}
