/// JSON text built byte by byte, without Foundation: builds wherever Swift does.
///
/// A Double is written as the shortest decimal that reads back as the same Double, minus zero included; a time as whole
/// nanoseconds.
struct LineText {
  /// The text so far, UTF-8.
  private(set) var bytes: [UInt8] = []

  /// Removes the text, keeps its memory.
  mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  /// Text that is JSON already.
  mutating func raw(_ text: StaticString) { text.withUTF8Buffer { bytes.append(contentsOf: $0) } }

  /// A whole number.
  mutating func integer(_ value: Int64) {
    if value >= 0 && value < 10 { return bytes.append(48 + UInt8(value)) }
    var digits: (UInt64, UInt64, UInt64) = (0, 0, 0)  // room for 20 digits and a sign
    withUnsafeMutableBytes(of: &digits) { room in
      var at = room.count
      var rest = value.magnitude
      repeat {
        at -= 1
        room[at] = 48 + UInt8(rest % 10)
        rest /= 10
      } while rest > 0
      if value < 0 {
        at -= 1
        room[at] = UInt8(ascii: "-")
      }
      bytes.append(contentsOf: room[at...])
    }
  }

  /// A number.
  ///
  /// - Precondition: it is finite; JSON has no other. Writers drop such measurements first.
  mutating func number(_ value: Double) {
    precondition(value.isFinite, "JSON has no NaN and no infinity")
    if value == 0, value.sign == .plus { return raw("0") }
    var text = value.description
    text.withUTF8 { utf8 in
      // 12.0 is 12, but -0.0 keeps its sign: a reader may take -0 for a whole number.
      let isWhole = utf8.count > 2 && utf8[utf8.count - 1] == 48 && utf8[utf8.count - 2] == UInt8(ascii: ".")
      bytes.append(contentsOf: isWhole && value != 0 ? UnsafeBufferPointer(rebasing: utf8.dropLast(2)) : utf8)
    }
  }

  /// A list of numbers.
  mutating func numbers(_ values: some Sequence<Double>) {
    raw("[")
    var isFirst = true
    for value in values {
      if !isFirst { raw(",") }
      isFirst = false
      number(value)
    }
    raw("]")
  }

  /// A quoted string.
  mutating func string(_ value: String) {
    raw("\"")
    for byte in value.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case 0..<0x20, 0x7F:
        raw("\\u00")
        for digit in [byte >> 4, byte & 15] { bytes.append(digit + (digit < 10 ? 48 : 87)) }
      default: bytes.append(byte)
      }
    }
    raw("\"")
  }
}
