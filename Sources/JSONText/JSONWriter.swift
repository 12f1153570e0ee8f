/// JSON text built byte by byte, without an intermediate tree and without Foundation.
///
/// Numbers are the shortest decimal that reads back as the same Double. JSON has no NaN and no infinity: they become
/// `null` and are counted, because an estimate that is not finite is an internal error.
package struct JSONWriter: Sendable {
  /// How numbers are spelt.
  package enum Numbers: Sendable {
    /// Twelve is `12.0`; minus zero is written as zero.
    case decimal
    /// Twelve is `12`; minus zero keeps its sign, as `-0.0`: a reader may take `-0` for a whole number.
    case exact
  }

  /// The text so far, UTF-8.
  package private(set) var bytes: [UInt8] = []
  /// How many values were not finite.
  package private(set) var nonFiniteCount = 0
  private let form: Numbers

  /// An empty text.
  package init(_ numbers: Numbers = .decimal) { form = numbers }

  /// Removes the text, keeps its memory and the count.
  package mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  /// Text that is JSON already: punctuation, keys, `null`.
  package mutating func raw(_ text: StaticString) {
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  /// A whole number.
  package mutating func integer(_ value: Int64) {
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

  /// A number, or `null` where there is none or it is not finite.
  package mutating func number(_ value: Double?) {
    guard let value else { return raw("null") }
    guard value.isFinite else {
      nonFiniteCount += 1
      return raw("null")
    }
    if value == 0 {
      switch form {
      case .decimal: return raw("0.0")
      case .exact: return value.sign == .minus ? raw("-0.0") : raw("0")
      }
    }
    var text = value.description
    text.withUTF8 { utf8 in
      let isWhole = utf8.count > 2 && utf8[utf8.count - 1] == 48 && utf8[utf8.count - 2] == UInt8(ascii: ".")
      let isShort = isWhole && form == .exact
      bytes.append(contentsOf: isShort ? UnsafeBufferPointer(rebasing: utf8.dropLast(2)) : utf8)
    }
  }

  /// A list of numbers; `null` as a whole when one of them is not finite.
  package mutating func numbers(_ values: [Double]) {
    guard values.allSatisfy(\.isFinite) else {
      nonFiniteCount += 1
      return raw("null")
    }
    raw("[")
    for (index, value) in values.enumerated() {
      if index > 0 { raw(",") }
      number(value)
    }
    raw("]")
  }

  /// A quoted string, or `null`.
  package mutating func string(_ value: String?) {
    guard var value else { return raw("null") }
    raw("\"")
    value.withUTF8 { utf8 in
      for (index, byte) in utf8.enumerated() {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
          bytes.append(UInt8(ascii: "\\"))
          bytes.append(byte)
        case 0..<0x20, 0x7F: escape(byte)
        // U+0080 to U+009F are two bytes, and controls of terminals as those below 0x20 are.
        case 0x80..<0xA0 where utf8[index - 1] == 0xC2:
          bytes.removeLast()
          escape(byte)
        default: bytes.append(byte)
        }
      }
    }
    raw("\"")
  }

  private mutating func escape(_ code: UInt8) {
    func digit(_ value: UInt8) -> UInt8 { value < 10 ? 48 + value : 87 + value }
    bytes.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "u"), 48, 48, digit(code >> 4), digit(code & 15)])
  }

  /// Any value, on one line; keys of objects in their given order.
  package mutating func value(_ value: JSONValue) {
    switch value {
    case .null: raw("null")
    case .bool(let flag): flag ? raw("true") : raw("false")
    case .integer(let whole): integer(Int64(whole))
    case .number(let number): self.number(number)
    case .string(let text): string(text)
    case .array(let elements):
      raw("[")
      for (index, element) in elements.enumerated() {
        if index > 0 { raw(",") }
        self.value(element)
      }
      raw("]")
    case .object(let members):
      raw("{")
      for (index, member) in members.enumerated() {
        if index > 0 { raw(",") }
        string(member.key)
        raw(":")
        self.value(member.value)
      }
      raw("}")
    }
  }

  /// Any value, one member a line, two spaces a level; lists of scalars stay on one line.
  package mutating func pretty(_ value: JSONValue, indent: Int = 0) {
    func newLine(_ level: Int) -> [UInt8] { [10] + [UInt8](repeating: 32, count: 2 * level) }
    switch value {
    case .array(let elements) where elements.contains(where: \.isContainer):
      raw("[")
      for (index, element) in elements.enumerated() {
        if index > 0 { raw(",") }
        bytes.append(contentsOf: newLine(indent + 1))
        pretty(element, indent: indent + 1)
      }
      bytes.append(contentsOf: newLine(indent))
      raw("]")
    case .object(let members) where !members.isEmpty:
      raw("{")
      for (index, member) in members.enumerated() {
        if index > 0 { raw(",") }
        bytes.append(contentsOf: newLine(indent + 1))
        string(member.key)
        raw(": ")
        pretty(member.value, indent: indent + 1)
      }
      bytes.append(contentsOf: newLine(indent))
      raw("}")
    default: self.value(value)
    }
  }
}

extension JSONValue {
  /// As text on one line, UTF-8.
  package var bytes: [UInt8] {
    var text = JSONWriter()
    text.value(self)
    return text.bytes
  }

  /// The same as a text.
  package var line: String { String(decoding: bytes, as: UTF8.self) }

  /// As text with one member a line, UTF-8, without a line break at its end.
  package var prettyBytes: [UInt8] {
    var text = JSONWriter()
    text.pretty(self)
    return text.bytes
  }
}
