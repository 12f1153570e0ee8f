import Foundation

/// Messages beside the output. One that cannot be written is dropped: the exit code stays what it is.
package enum StandardError {
  /// Writes text as it is.
  package static func write(_ text: String) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Foundation.write(STDERR_FILENO, $0.baseAddress!, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      bytes.removeFirst(count)
    }
  }

  /// Writes a message as a line; of others' texts nothing reaches the terminal but what is seen (`PlainText`).
  package static func line(_ text: String) { write(PlainText.message(text) + "\n") }

  /// Writes a warning, one line.
  package static func warn(_ text: String) { line("warning: \(text)") }
}
