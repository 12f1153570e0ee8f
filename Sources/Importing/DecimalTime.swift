import Datasets
import JSONText

/// Times of foreign files as whole nanoseconds: decimal texts digit by digit, because a Double of seconds since 1970
/// is only good to 240 ns.
enum DecimalTime {
  /// Unit of the text.
  package enum Unit: String, CaseIterable, Sendable {
    case seconds = "s"
    case milliseconds = "ms"
    case microseconds = "us"
    case nanoseconds = "ns"

    /// Decimals of a second.
    var decimals: Int {
      switch self {
      case .seconds: 0
      case .milliseconds: 3
      case .microseconds: 6
      case .nanoseconds: 9
      }
    }
  }

  /// Whole nanoseconds, rounded half away from zero; nil for anything but a finite number below 146 years.
  static func nanoseconds(_ start: UnsafePointer<UInt8>, _ count: Int, _ unit: Unit) -> Int64? {
    var p = start
    let end = start + count
    guard p < end else { return nil }
    let isNegative = p.pointee == 0x2D
    if isNegative || p.pointee == 0x2B { p += 1 }
    var value: Int64 = 0, digits = 0
    while p < end, p.pointee &- 0x30 <= 9 {
      guard value < 460_000_000_000_000_000 else { return nil }
      value = value * 10 + Int64(p.pointee &- 0x30)
      digits += 1
      p += 1
    }
    var missing = 9 - unit.decimals
    var isHalf = false
    if p < end, p.pointee == 0x2E {
      p += 1
      var position = 0
      while p < end, p.pointee &- 0x30 <= 9 {
        let digit = Int64(p.pointee &- 0x30)
        if missing > 0 {
          guard value < 460_000_000_000_000_000 else { return nil }
          value = value * 10 + digit
          missing -= 1
        } else if position == 9 - unit.decimals {
          isHalf = digit >= 5
        }
        position += 1
        digits += 1
        p += 1
      }
    }
    guard digits > 0 else { return nil }
    if p != end {  // an exponent
      guard case .number(let number) = NumberText.double(start, count) else { return nil }
      var scaled = number
      for _ in 0..<(9 - unit.decimals) { scaled *= 10 }
      return abs(scaled) < 4.6e18 ? Int64(scaled.rounded()) : nil
    }
    for _ in 0..<missing {
      guard value < 460_000_000_000_000_000 else { return nil }
      value *= 10
    }
    if isHalf { value += 1 }
    return isNegative ? -value : value
  }

  /// The unit in which a whole number is a time between 2001 and 2100, counted from 1970; nil for any other text.
  static func likelyUnit(_ start: UnsafePointer<UInt8>, _ count: Int) -> Unit? {
    guard case .number(let value) = NumberText.double(start, count) else { return nil }
    return Unit.allCases.first { unit in
      var seconds = value
      for _ in 0..<unit.decimals { seconds /= 10 }
      return seconds > 1e9 && seconds < 4.1e9
    }
  }

  /// The same from a Double, for formats that have nothing better.
  static func nanoseconds(seconds: Double) -> Int64? {
    let scaled = (seconds * 1e9).rounded()
    return abs(scaled) < 4.6e18 ? Int64(scaled) : nil
  }
}
