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
