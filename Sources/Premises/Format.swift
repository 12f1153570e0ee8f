import Foundation

/// Numbers in sentences, the same on every machine.
enum Format {
  /// Three significant digits, without a trailing zero.
  static func number(_ x: Double) -> String {
    guard x.isFinite else { return "unknown" }
    guard x != 0 else { return "0" }
    let digits = max(0, 2 - Int(log10(abs(x)).rounded(.down)))
    let text = String(format: "%.\(min(digits, 9))f", x)
    guard text.contains(".") else { return text }
    var trimmed = Substring(text)
    while trimmed.last == "0" { trimmed.removeLast() }
    if trimmed.last == "." { trimmed.removeLast() }
    return String(trimmed)
  }

  /// Degrees of an angle in radians, no decimals from 10 on.
  static func degrees(_ x: Double) -> String { number((x * 180 / .pi * 10).rounded() / 10) }

  /// A log likelihood ratio.
  static func ratio(_ x: Double) -> String {
    "log likelihood ratio \(x > 9999 ? "over 9999" : String(Int(exactly: x.rounded(.towardZero)) ?? 0))"
  }
}
