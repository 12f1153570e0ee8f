/// Reads JSON (RFC 8259) from bytes, in one pass and without Foundation, whose decoder takes minutes for the updates of
/// an hour.
///
/// Nesting is limited to 64. Of a name that occurs twice the first value is found (`JSONValue.subscript`).
struct JSONScanner {
  /// The bytes are no JSON.
  struct Fault: Error, Equatable {}

  private static let deepest = 64

  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  /// The one value of a text.
  static func value(_ bytes: UnsafeBufferPointer<UInt8>) throws(Fault) -> JSONValue {
    var scanner = JSONScanner(bytes)
    let value = try scanner.value(depth: 0)
    scanner.skipBlanks()
    guard scanner.position == bytes.count else { throw Fault() }
    return value
  }

  /// The line, from 1, at which a text ceases to be JSON; nil where it is JSON.
  static func lineOfFault(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    var scanner = JSONScanner(bytes)
    let isValue = (try? scanner.value(depth: 0)) != nil
    scanner.skipBlanks()
    if isValue, scanner.position == bytes.count { return nil }
    return bytes[..<scanner.position].reduce(1) { $1 == 0x0A ? $0 + 1 : $0 }
  }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipBlanks() {
    while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    position += 1
    return true
  }

  private mutating func value(depth: Int) throws(Fault) -> JSONValue {
    skipBlanks()
    guard let first = next, depth < Self.deepest else { throw Fault() }
    switch first {
    case UInt8(ascii: "{"): return try object(depth)
    case UInt8(ascii: "["): return try array(depth)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: return try number()
    }
  }

  private mutating func word(_ text: StaticString, _ value: JSONValue) throws(Fault) -> JSONValue {
    for offset in 0..<text.utf8CodeUnitCount {
      guard take(text.utf8Start[offset]) else { throw Fault() }
    }
    return value
  }

  private mutating func object(_ depth: Int) throws(Fault) -> JSONValue {
    position += 1
    var members: [JSONValue.Member] = []
    skipBlanks()
    if take(UInt8(ascii: "}")) { return .object(members) }
    repeat {
      skipBlanks()
      guard next == UInt8(ascii: "\"") else { throw Fault() }
      let key = try string()
      skipBlanks()
      guard take(UInt8(ascii: ":")) else { throw Fault() }
      members.append(.init(key: key, value: try value(depth: depth + 1)))
      skipBlanks()
    } while take(UInt8(ascii: ","))
    guard take(UInt8(ascii: "}")) else { throw Fault() }
    return .object(members)
  }

  private mutating func array(_ depth: Int) throws(Fault) -> JSONValue {
    position += 1
    var elements: [JSONValue] = []
    skipBlanks()
    if take(UInt8(ascii: "]")) { return .array(elements) }
    repeat {
      elements.append(try value(depth: depth + 1))
      skipBlanks()
    } while take(UInt8(ascii: ","))
    guard take(UInt8(ascii: "]")) else { throw Fault() }
    return .array(elements)
  }

  // MARK: scalars

  private mutating func digits() -> Int {
    let start = position
    while let byte = next, byte &- 0x30 < 10 { position += 1 }
    return position - start
  }

  /// A number; whole ones within Int as such, `1.0` as well.
  private mutating func number() throws(Fault) -> JSONValue {
    let start = position
    _ = take(UInt8(ascii: "-"))
    let first = next
    let whole = digits()
    guard whole > 0, whole == 1 || first != 0x30 else { throw Fault() }
    var isWhole = true
    if take(UInt8(ascii: ".")) {
      isWhole = false
      guard digits() > 0 else { throw Fault() }
    }
    if let byte = next, byte | 0x20 == UInt8(ascii: "e") {
      isWhole = false
      position += 1
      if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
      guard digits() > 0 else { throw Fault() }
    }
    let text = bytes.baseAddress! + start
    if isWhole, let value = NumberText.integer(text, position - start), value != 0 || bytes[start] != 0x2D {
      return .integer(Int(value))
    }
    guard case .number(let value) = NumberText.double(text, position - start) else { throw Fault() }
    return Int(exactly: value).map { .integer($0) } ?? .number(value)
  }

  private mutating func string() throws(Fault) -> String {
    position += 1
    let start = position
    var hasEscapes = false
    while let byte = next, byte != UInt8(ascii: "\"") {
      guard byte >= 0x20 else { throw Fault() }
      if byte == UInt8(ascii: "\\") {
        hasEscapes = true
        position += 1
      }
      position += 1
    }
    guard position < bytes.count else { throw Fault() }
    let text = UnsafeBufferPointer(rebasing: bytes[start..<position])
    position += 1
    guard hasEscapes else {
      guard let string = String(validating: text, as: UTF8.self) else { throw Fault() }
      return string
    }
    return try Self.unescaped(text)
  }

  private static func unescaped(_ text: UnsafeBufferPointer<UInt8>) throws(Fault) -> String {
    var plain: [UInt8] = []
    var index = 0
    func unit(_ start: Int) throws(Fault) -> UInt32 {
      guard start + 4 <= text.count else { throw Fault() }
      var value: UInt32 = 0
      for byte in text[start..<start + 4] {
        guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { throw Fault() }
        value = value << 4 | UInt32(digit)
      }
      return value
    }
    while index < text.count {
      guard text[index] == UInt8(ascii: "\\") else {
        plain.append(text[index])
        index += 1
        continue
      }
      guard index + 1 < text.count else { throw Fault() }
      let escape = text[index + 1]
      index += 2
      switch escape {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): plain.append(escape)
      case UInt8(ascii: "b"): plain.append(0x08)
      case UInt8(ascii: "f"): plain.append(0x0C)
      case UInt8(ascii: "n"): plain.append(0x0A)
      case UInt8(ascii: "r"): plain.append(0x0D)
      case UInt8(ascii: "t"): plain.append(0x09)
      case UInt8(ascii: "u"):
        var value = try unit(index)
        index += 4
        if value & 0xFC00 == 0xD800 {
          guard index + 6 <= text.count, text[index] == UInt8(ascii: "\\"), text[index + 1] == UInt8(ascii: "u") else {
            throw Fault()
          }
          let low = try unit(index + 2)
          guard low & 0xFC00 == 0xDC00 else { throw Fault() }
          value = 0x10000 + (value & 0x3FF) << 10 + low & 0x3FF
          index += 6
        }
        guard let scalar = Unicode.Scalar(value) else { throw Fault() }
        plain.append(contentsOf: UTF8.encode(scalar)!)
      default: throw Fault()
      }
    }
    guard let string = String(validating: plain, as: UTF8.self) else { throw Fault() }
    return string
  }
}
