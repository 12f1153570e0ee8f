import Foundation

/// Buffered standard output; a closed reader does not kill the process.
struct StandardOutput {
  private let needsReader: Bool
  private var hasReader = true
  private var buffer: [UInt8] = []

  /// - Parameter needsReader: a closed reader is an error, as for data that must be complete; otherwise the rest is
  ///   discarded, as for text.
  init(needsReader: Bool) {
    self.needsReader = needsReader
    signal(SIGPIPE, SIG_IGN)
  }

  /// Writes bytes, buffered.
  mutating func write(_ bytes: [UInt8]) throws {
    buffer.append(contentsOf: bytes)
    if buffer.count >= 1 << 15 { try flush() }
  }

  /// Writes a line of text immediately.
  mutating func line(_ text: String) throws {
    buffer.append(contentsOf: text.utf8)
    buffer.append(UInt8(ascii: "\n"))
    try flush()
  }

  /// Writes the buffer.
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
