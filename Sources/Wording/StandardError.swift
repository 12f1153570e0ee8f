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

/// Texts of others - titles, names, keys, cells, paths - made fit for a terminal.
package enum PlainText {
  /// Most characters of a message: what it quotes may have any length.
  package static let longestMessage = 2000

  /// The text with what would move the cursor, change colours or turn the writing made visible: control characters but
  /// line breaks and tabs, delete, C1 controls, marks of direction, separators of lines and paragraphs.
  package static func visible(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isHidden) else { return text }
    var shown = ""
    for scalar in text.unicodeScalars {
      if isHidden(scalar) {
        shown += "\\u{" + String(scalar.value, radix: 16) + "}"
      } else {
        shown.unicodeScalars.append(scalar)
      }
    }
    return shown
  }

  /// A message, cut where it is longer than anybody reads.
  package static func message(_ text: String) -> String {
    let text = visible(text)
    let count = text.count
    guard count > longestMessage else { return text }
    return "\(text.prefix(longestMessage))... (\(count - longestMessage) more characters)"
  }

  private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A: false
    case 0..<0x20, 0x7F..<0xA0, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
    default: false
    }
  }
}
