import Foundation

/// Numbers in sentences.
enum Figures {
  /// A fixed count of decimals, no locale.
  static func fixed(_ value: Double, _ decimals: Int) -> String {
    String(format: "%.\(decimals)f", value)
  }
}
