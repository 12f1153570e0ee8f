import Foundation
import Geometry

/// Formatting of quantities for people.
package enum Words {
  /// A number with a fixed count of decimals; never "-0".
  package static func fixed(_ value: Double, _ decimals: Int) -> String {
    let text = String(format: "%.\(decimals)f", value)
    return text.hasPrefix("-") && !text.contains(where: { ("1"..."9").contains($0) }) ? String(text.dropFirst()) : text
  }

  /// An angle from straight ahead, radians, in whole degrees and a side: `12° right`.
  package static func side(_ angle: Double) -> String {
    let degrees = Angle.inDegrees(angle).rounded()
    if degrees == 0 { return "ahead" }
    if abs(degrees) == 180 { return "behind" }
    return "\(fixed(abs(degrees), 0))° " + (degrees > 0 ? "right" : "left")
  }

  /// Text padded with blanks on the right.
  package static func left(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  /// Text padded with blanks on the left.
  package static func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }

  /// A count with its noun.
  package static func count(_ number: Int, _ noun: String, plural: String? = nil) -> String {
    "\(number) \(number == 1 ? noun : plural ?? noun + "s")"
  }
}
