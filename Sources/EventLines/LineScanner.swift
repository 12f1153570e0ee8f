import Datasets

/// What is wrong with a line: found and expected.
package struct LineFault: Error, Equatable, Sendable {
  /// What was found.
  package var found: String
  /// What was expected.
  package var expected: String

  /// A fault from its parts.
  package init(found: String, expected: String) {
    self.found = found
    self.expected = expected
  }
}

/// Reads JSON from bytes, value by value, without a tree and without recursion on the hot path.
///
/// Strict: RFC 8259, one value. It never reads beyond the bytes, which must outlive it.
struct LineScanner {
  private let start: UnsafePointer<UInt8>
  private let end: UnsafePointer<UInt8>
  private var at: UnsafePointer<UInt8>

  /// Deepest nesting of a value that is skipped or kept as a tree.
  static let deepest = 16

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    start = bytes.baseAddress ?? UnsafePointer(bitPattern: 1)!
    end = start + bytes.count
    at = start
  }

  // MARK: structure

  @inline(__always)
  mutating func skipBlanks() {
    while at < end, at.pointee == 0x20 || at.pointee == 0x09 || at.pointee == 0x0D || at.pointee == 0x0A { at += 1 }
  }

  /// Whether only blanks are left.
  mutating func isAtEnd() -> Bool {
    skipBlanks()
    return at == end
  }

  /// The next byte that is no blank; nil at the end.
  mutating func peek() -> UInt8? {
    skipBlanks()
    return at < end ? at.pointee : nil
  }

  /// Passes a byte if it is next.
  @inline(__always)
  mutating func pass(_ byte: UInt8) -> Bool {
    if at < end, at.pointee == byte {
      at += 1
      return true
    }
    skipBlanks()
    guard at < end, at.pointee == byte else { return false }
    at += 1
    return true
  }

  /// Passes a byte or throws.
  @inline(__always)
  mutating func need(_ byte: UInt8, _ expected: @autoclosure () -> String) throws(LineFault) {
    guard pass(byte) else { throw fault(expected()) }
  }

  /// A fault here: what was found is quoted.
  func fault(_ expected: String) -> LineFault {
    if at >= end { return LineFault(found: "the end of the line", expected: expected) }
    let rest = UnsafeBufferPointer(start: at, count: min(24, end - at))
    let shown = String(decoding: rest, as: UTF8.self).unicodeScalars.map { scalar in
      scalar.value < 0x20 || scalar.value == 0x7F || scalar == "\u{FFFD}" ? "?" : String(scalar)
    }.joined()
    return LineFault(found: "'\(shown)' in column \(at - start + 1)", expected: expected)
  }

  /// Begins the next member of an object: its key, and the colon behind it. Nil at the closing brace.
  ///
  /// - Parameter isFirst: true before the first member; set to false.
  mutating func key(_ isFirst: inout Bool) throws(LineFault) -> UnsafeBufferPointer<UInt8>? {
    if pass(UInt8(ascii: "}")) { return nil }
    if !isFirst { try need(UInt8(ascii: ","), "',' or '}'") }
    isFirst = false
    try need(UInt8(ascii: "\""), "a key in quotes")
    let begin = at
    while at < end, at.pointee != UInt8(ascii: "\"") {
      guard at.pointee >= 0x20, at.pointee != UInt8(ascii: "\\") else { throw fault("a plain key") }
      at += 1
    }
    let key = UnsafeBufferPointer(start: begin, count: at - begin)
    try need(UInt8(ascii: "\""), "'\"' behind the key")
    try need(UInt8(ascii: ":"), "':' behind the key")
    return key
  }

  /// Passes `null` if it is next.
  mutating func passNull() -> Bool {
    skipBlanks()
    guard at < end, at.pointee == UInt8(ascii: "n") else { return false }
    return passWord("null")
  }

  private mutating func passWord(_ word: StaticString) -> Bool {
    guard end - at >= word.utf8CodeUnitCount else { return false }
    for k in 0..<word.utf8CodeUnitCount where at[k] != word.utf8Start[k] { return false }
    at += word.utf8CodeUnitCount
    return true
  }

  // MARK: scalars

  /// A number: nil where it is beyond Double's range.
  @inline(__always)
  mutating func number() throws(LineFault) -> Double? {
    let (text, _) = try numberText("a number")
    if case .number(let value) = NumberText.double(text.baseAddress!, text.count) { return value }
    return nil
  }

  /// A whole number within Int64, never by way of a Double.
  @inline(__always)
  mutating func integer(_ what: @autoclosure () -> String) throws(LineFault) -> Int64 {
    let begin = at
    let (text, isWhole) = try numberText(what())
    guard isWhole, let value = NumberText.integer(text.baseAddress!, text.count) else {
      at = begin
      throw fault(what())
    }
    return value
  }

  /// The bytes of a number in JSON's grammar, and whether it has neither point nor exponent.
  @inline(__always)
  private mutating func numberText(
    _ expected: @autoclosure () -> String
  ) throws(LineFault) -> (UnsafeBufferPointer<UInt8>, isWhole: Bool) {
    if at < end, at.pointee == 0x20 { skipBlanks() }
    let begin = at
    var p = at
    if p < end, p.pointee == UInt8(ascii: "-") { p += 1 }
    let digits = p
    while p < end, p.pointee &- 0x30 < 10 { p += 1 }
    guard p > digits, digits.pointee != 0x30 || p == digits + 1 else { throw fault(expected()) }
    var isWhole = true
    if p < end, p.pointee == UInt8(ascii: ".") {
      isWhole = false
      p += 1
      let fraction = p
      while p < end, p.pointee &- 0x30 < 10 { p += 1 }
      guard p > fraction else { throw fault(expected()) }
    }
    if p < end, p.pointee | 0x20 == UInt8(ascii: "e") {
      isWhole = false
      p += 1
      if p < end, p.pointee == UInt8(ascii: "+") || p.pointee == UInt8(ascii: "-") { p += 1 }
      let exponent = p
      while p < end, p.pointee &- 0x30 < 10 { p += 1 }
      guard p > exponent else { throw fault(expected()) }
    }
    at = p
    return (UnsafeBufferPointer(start: begin, count: p - begin), isWhole)
  }

  /// A text.
  mutating func string(_ what: @autoclosure () -> String) throws(LineFault) -> String {
    skipBlanks()
    guard at < end, at.pointee == UInt8(ascii: "\"") else { throw fault(what()) }
    at += 1
    let begin = at
    while at < end, at.pointee >= 0x20, at.pointee != UInt8(ascii: "\""), at.pointee != UInt8(ascii: "\\") { at += 1 }
    var bytes = UnsafeBufferPointer(start: begin, count: at - begin)
    if at < end, at.pointee == UInt8(ascii: "\"") {
      at += 1
      guard let text = String(validating: bytes, as: UTF8.self) else { throw fault("UTF-8") }
      return text
    }
    var unescaped = Array(bytes)
    while true {
      guard at < end, at.pointee >= 0x20 else { throw fault("'\"' at the end of a text") }
      let byte = at.pointee
      at += 1
      if byte == UInt8(ascii: "\"") { break }
      if byte == UInt8(ascii: "\\") { try unescape(into: &unescaped) } else { unescaped.append(byte) }
    }
    bytes = UnsafeBufferPointer(start: begin, count: 0)
    guard let text = String(validating: unescaped, as: UTF8.self) else { throw fault("UTF-8") }
    return text
  }

  private mutating func unescape(into bytes: inout [UInt8]) throws(LineFault) {
    guard at < end else { throw fault("an escape") }
    let byte = at.pointee
    at += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): bytes.append(byte)
    case UInt8(ascii: "b"): bytes.append(8)
    case UInt8(ascii: "f"): bytes.append(12)
    case UInt8(ascii: "n"): bytes.append(10)
    case UInt8(ascii: "r"): bytes.append(13)
    case UInt8(ascii: "t"): bytes.append(9)
    case UInt8(ascii: "u"):
      var code = try hex()
      if (0xD800..<0xDC00).contains(code) {
        guard passWord("\\u") else { throw fault("the other half of a pair") }
        let low = try hex()
        guard (0xDC00..<0xE000).contains(low) else { throw fault("the other half of a pair") }
        code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
      }
      guard let scalar = Unicode.Scalar(code) else { throw fault("a character") }
      bytes.append(contentsOf: Array(String(scalar).utf8))
    default:
      at -= 1
      throw fault("an escape of JSON")
    }
  }

  private mutating func hex() throws(LineFault) -> UInt32 {
    var code: UInt32 = 0
    for _ in 0..<4 {
      guard at < end, let digit = Character(Unicode.Scalar(at.pointee)).hexDigitValue else {
        throw fault("four hexadecimal digits")
      }
      code = code << 4 + UInt32(digit)
      at += 1
    }
    return code
  }

  // MARK: trees

  /// Any value, kept: for the first line only. A key twice in one object is a fault.
  mutating func value(depth: Int = 0) throws(LineFault) -> JSONValue {
    guard depth < Self.deepest else { throw fault("at most \(Self.deepest) levels of brackets") }
    switch peek() {
    case UInt8(ascii: "{")?:
      at += 1
      var members: [JSONValue.Member] = []
      var names: Set<String> = []
      var isFirst = true
      while let key = try key(&isFirst) {
        guard let name = String(validating: key, as: UTF8.self) else { throw fault("UTF-8") }
        guard names.insert(name).inserted else {
          throw LineFault(found: "the key '\(name.prefix(64))' twice", expected: "each key once")
        }
        members.append(.init(key: name, value: try value(depth: depth + 1)))
      }
      return .object(members)
    case UInt8(ascii: "[")?:
      at += 1
      var elements: [JSONValue] = []
      if pass(UInt8(ascii: "]")) { return .array([]) }
      repeat { elements.append(try value(depth: depth + 1)) } while pass(UInt8(ascii: ","))
      try need(UInt8(ascii: "]"), "',' or ']'")
      return .array(elements)
    case UInt8(ascii: "\"")?: return .string(try string("a text"))
    case UInt8(ascii: "t")? where passWord("true"): return .bool(true)
    case UInt8(ascii: "f")? where passWord("false"): return .bool(false)
    case UInt8(ascii: "n")? where passWord("null"): return .null
    default:
      let (text, isWhole) = try numberText("a value")
      if isWhole, let whole = NumberText.integer(text.baseAddress!, text.count) { return .integer(Int(whole)) }
      guard case .number(let number) = NumberText.double(text.baseAddress!, text.count) else {
        throw LineFault(found: "a number beyond the range of a Double", expected: "a finite number")
      }
      return .number(number)
    }
  }

  /// Skips any value.
  mutating func skip() throws(LineFault) { _ = try value() }
}
