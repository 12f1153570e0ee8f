/// Exact parsing of numbers from bytes, usually without a String: of JSON and of the cells of tables.
package enum NumberText {
  /// Contents of a cell.
  package enum Result: Equatable {
    /// The nearest Double.
    case number(Double)
    /// NaN, infinity, or a number beyond Double's range.
    case notFinite
    /// Something else.
    case text
  }

  /// 10^0 ... 10^22: every one an exact Double.
  @usableFromInline static let powers: [Double] = [
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
  ]

  /// Reads `[+-]digits[.digits][e[+-]digits]`, correctly rounded.
  ///
  /// A significand up to 2^53 and a power of ten up to 22 are both exact, so one multiplication or division rounds
  /// once. Source: W. D. Clinger, "How to read floating point numbers accurately", PLDI 1990,
  /// doi:10.1145/93542.93557. Other numbers use the standard library.
  @inline(__always) @inlinable
  package static func double(_ start: UnsafePointer<UInt8>, _ count: Int) -> Result {
    var p = start
    let end = start + count
    guard p < end else { return .text }
    let negative = p.pointee == 0x2D
    if negative || p.pointee == 0x2B { p += 1 }
    var significand: UInt64 = 0
    let integerStart = p
    while p < end {
      let digit = p.pointee &- 0x30
      if digit > 9 { break }
      significand = significand &* 10 &+ UInt64(digit)
      p += 1
    }
    var digits = p - integerStart
    var exponent = 0
    if p < end, p.pointee == 0x2E {
      p += 1
      let fractionStart = p
      while p < end {
        let digit = p.pointee &- 0x30
        if digit > 9 { break }
        significand = significand &* 10 &+ UInt64(digit)
        p += 1
      }
      exponent = fractionStart - p
      digits -= exponent
    }
    if digits == 0 { return special(start, count) }
    if p < end, p.pointee | 0x20 == 0x65 {
      p += 1
      guard p < end else { return .text }
      let negativeExponent = p.pointee == 0x2D
      if negativeExponent || p.pointee == 0x2B { p += 1 }
      guard p < end else { return .text }
      var value = 0
      while p < end {
        let digit = p.pointee &- 0x30
        if digit > 9 { return .text }
        if value < 100_000 { value = value &* 10 &+ Int(digit) }
        p += 1
      }
      exponent += negativeExponent ? -value : value
    }
    guard p == end else { return .text }
    if digits <= 19, significand <= 1 << 53, exponent >= -22, exponent <= 22 {
      let magnitude = powers.withUnsafeBufferPointer {
        exponent < 0 ? Double(significand) / $0[-exponent] : Double(significand) * $0[exponent]
      }
      return .number(negative ? -magnitude : magnitude)
    }
    return slow(start, count)
  }

  /// Reads a whole number; nil for anything else, and beyond Int64.
  @inline(__always) @inlinable
  package static func integer(_ start: UnsafePointer<UInt8>, _ count: Int) -> Int64? {
    var p = start
    let end = start + count
    guard p < end else { return nil }
    let negative = p.pointee == 0x2D
    if negative || p.pointee == 0x2B { p += 1 }
    guard p < end else { return nil }
    let quick = end - p <= 18  // 18 digits cannot overflow
    var value: Int64 = 0
    while p < end {
      let digit = p.pointee &- 0x30
      if digit > 9 { return nil }
      if quick {
        value = value &* 10 &+ Int64(digit)
      } else {
        let (product, overflow) = value.multipliedReportingOverflow(by: 10)
        let (sum, overflowToo) = product.addingReportingOverflow(Int64(digit))
        if overflow || overflowToo { return nil }
        value = sum
      }
      p += 1
    }
    return negative ? -value : value
  }

  /// The same from a string, for calibrations.
  package static func double(_ text: String) -> Result {
    var text = text
    return text.withUTF8 { bytes in
      guard let start = bytes.baseAddress else { return .text }
      return double(start, bytes.count)
    }
  }

  @inline(never) @usableFromInline
  static func slow(_ start: UnsafePointer<UInt8>, _ count: Int) -> Result {
    let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    guard let value = Double(text) else { return .text }
    return value.isFinite ? .number(value) : .notFinite
  }

  @inline(never) @usableFromInline
  static func special(_ start: UnsafePointer<UInt8>, _ count: Int) -> Result {
    guard count <= 9 else { return .text }
    var text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self).lowercased()
    if text.hasPrefix("+") || text.hasPrefix("-") || text.hasPrefix(".") { text.removeFirst() }
    if text.hasPrefix(".") { text.removeFirst() }
    return ["nan", "inf", "infinity"].contains(text) ? .notFinite : .text
  }
}
