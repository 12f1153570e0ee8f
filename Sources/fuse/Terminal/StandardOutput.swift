import Foundation
import RunResults

/// Buffered standard output. Once its reader has gone away (`| head -1`) the rest is discarded: what the command does
/// beside it goes on.
struct StandardOutput {
  private var hasReader = true
  private var buffer: [UInt8] = []

  /// Writes bytes as they are, buffered.
  mutating func write(_ bytes: [UInt8]) throws {
    buffer.append(contentsOf: bytes)
    if buffer.count >= 1 << 15 { try flush() }
  }

  /// Writes a line of text immediately; of others' texts only what is seen (`PlainText`).
  mutating func line(_ text: String) throws {
    buffer.append(contentsOf: PlainText.visible(text).utf8)
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
        if errno == EPIPE {
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
