/// What is wrong with a text: found and expected.
package struct TextFault: Error, Equatable, Sendable {
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

/// Reads JSON (RFC 8259) from bytes, value by value: no tree and no recursion but for `value`, and no Foundation, whose
/// decoder takes minutes for the updates of an hour.
///
/// It never reads beyond the bytes, which must outlive it. What it does for every number of a line is inlinable.
package struct JSONReader {
  @usableFromInline let start: UnsafePointer<UInt8>
  @usableFromInline let end: UnsafePointer<UInt8>
  @usableFromInline var at: UnsafePointer<UInt8>
  private let deepest: Int
  @usableFromInline let isStrict: Bool

  /// A reader at the first byte.
  ///
  /// - Parameters:
  ///   - deepest: nesting of a value that is kept or skipped.
  ///   - isStrict: keys have no escapes, and none is twice in an object.
  package init(_ bytes: UnsafeBufferPointer<UInt8>, deepest: Int = 64, isStrict: Bool = false) {
    start = bytes.baseAddress ?? UnsafePointer(bitPattern: 1)!
    end = start + bytes.count
    at = start
    (self.deepest, self.isStrict) = (deepest, isStrict)
  }

  /// The line of the next byte, from 1.
  package var line: Int { UnsafeBufferPointer(start: start, count: at - start).reduce(1) { $1 == 0x0A ? $0 + 1 : $0 } }

  // MARK: structure

  /// Passes blanks.
  @inlinable
  package mutating func skipBlanks() {
    var p = at
    while p < end, p.pointee <= 0x20, p.pointee == 0x20 || p.pointee == 0x09 || p.pointee == 0x0D || p.pointee == 0x0A {
      p += 1
    }
    at = p
  }

  /// Whether only blanks are left.
  package mutating func isAtEnd() -> Bool {
    skipBlanks()
    return at == end
  }

  /// The next byte that is no blank; nil at the end.
  @inlinable
  package mutating func peek() -> UInt8? {
    skipBlanks()
    return at < end ? at.pointee : nil
  }

  /// Passes a byte if it is next.
  @discardableResult @inlinable
  package mutating func pass(_ byte: UInt8) -> Bool {
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
  @inlinable
  package mutating func need(_ byte: UInt8, _ expected: @autoclosure () -> String) throws(TextFault) {
    guard pass(byte) else { throw fault(expected()) }
  }

  /// A fault here: what was found is quoted.
  package func fault(_ expected: String) -> TextFault {
    if at >= end { return TextFault(found: "the end of the line", expected: expected) }
    let rest = UnsafeBufferPointer(start: at, count: min(24, end - at))
    let shown = String(decoding: rest, as: UTF8.self).unicodeScalars.map { scalar in
      scalar.value < 0x20 || scalar.value == 0x7F || scalar == "\u{FFFD}" ? "?" : String(scalar)
    }.joined()
    return TextFault(found: "'\(shown)' in column \(at - start + 1)", expected: expected)
  }

  /// Begins the next member of an object: its key as it stands, and the colon behind it. Nil at the closing brace.
  ///
  /// - Parameter isFirst: true before the first member; set to false.
  @inlinable
  package mutating func key(_ isFirst: inout Bool) throws(TextFault) -> UnsafeBufferPointer<UInt8>? {
    if pass(UInt8(ascii: "}")) { return nil }
    if !isFirst { try need(UInt8(ascii: ","), "',' or '}'") }
    isFirst = false
    try need(UInt8(ascii: "\""), "a key in quotes")
    let key = try rest(isStrict ? "a plain key" : "a key", "'\"' behind the key")
    try need(UInt8(ascii: ":"), "':' behind the key")
    return key
  }

  /// The next text as it stands, without its quotes: escapes stay.
  @inlinable
  package mutating func quoted(_ what: @autoclosure () -> String) throws(TextFault) -> UnsafeBufferPointer<UInt8> {
    try need(UInt8(ascii: "\""), what())
    return try rest(what(), "'\"' at the end of a text")
  }

  /// What is left of a text, up to its closing quote, which is passed.
  @inline(__always) @inlinable
  mutating func rest(_ what: String, _ close: String) throws(TextFault) -> UnsafeBufferPointer<UInt8> {
    let begin = at
    var p = at
    while p < end, p.pointee != UInt8(ascii: "\"") {
      if p.pointee == UInt8(ascii: "\\"), !isStrict, end - p > 1 {
        p += 2
      } else if p.pointee >= 0x20, p.pointee != UInt8(ascii: "\\") {
        p += 1
      } else {
        at = p
        throw fault(what)
      }
    }
    at = p
    guard p < end else { throw fault(close) }
    at += 1
    return UnsafeBufferPointer(start: begin, count: p - begin)
  }

  /// Passes `null` if it is next.
  package mutating func passNull() -> Bool {
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
  @inlinable
  package mutating func number() throws(TextFault) -> Double? {
    let (text, _) = try numberText("a number")
    if case .number(let value) = NumberText.double(text.baseAddress!, text.count) { return value }
    return nil
  }

  /// A whole number within Int64, never by way of a Double.
  @inlinable
  package mutating func integer(_ what: @autoclosure () -> String) throws(TextFault) -> Int64 {
    let begin = at
    let (text, isWhole) = try numberText(what())
    guard isWhole, let value = NumberText.integer(text.baseAddress!, text.count) else {
      at = begin
      throw fault(what())
    }
    return value
  }

  /// The bytes of a number in JSON's grammar, and whether it has neither point nor exponent.
  @inline(__always) @inlinable
  package mutating func numberText(
    _ expected: @autoclosure () -> String
  ) throws(TextFault) -> (UnsafeBufferPointer<UInt8>, isWhole: Bool) {
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

  /// The bytes of a scalar that need not be JSON, such as Python's `NaN`: up to a comma, a bracket or a blank.
  @inline(__always) @inlinable
  package mutating func word() throws(TextFault) -> UnsafeBufferPointer<UInt8> {
    skipBlanks()
    let begin = at
    var p = at
    while p < end, case let byte = p.pointee, byte > 0x20, byte != 0x2C, byte != 0x7D, byte != 0x5D { p += 1 }
    guard p > begin else { throw fault("a value") }
    at = p
    return UnsafeBufferPointer(start: begin, count: p - begin)
  }

  /// A text.
  package mutating func string(_ what: @autoclosure () -> String) throws(TextFault) -> String {
    skipBlanks()
    guard at < end, at.pointee == UInt8(ascii: "\"") else { throw fault(what()) }
    at += 1
    let begin = at
    while at < end, at.pointee >= 0x20, at.pointee != UInt8(ascii: "\""), at.pointee != UInt8(ascii: "\\") { at += 1 }
    let plain = UnsafeBufferPointer(start: begin, count: at - begin)
    if at < end, at.pointee == UInt8(ascii: "\"") {
      at += 1
      guard let text = String(validating: plain, as: UTF8.self) else { throw fault("UTF-8") }
      return text
    }
    var unescaped = Array(plain)
    while true {
      guard at < end, at.pointee >= 0x20 else { throw fault("'\"' at the end of a text") }
      let byte = at.pointee
      at += 1
      if byte == UInt8(ascii: "\"") { break }
      if byte == UInt8(ascii: "\\") { try unescape(into: &unescaped) } else { unescaped.append(byte) }
    }
    guard let text = String(validating: unescaped, as: UTF8.self) else { throw fault("UTF-8") }
    return text
  }

  private mutating func unescape(into bytes: inout [UInt8]) throws(TextFault) {
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
      bytes.append(contentsOf: UTF8.encode(scalar)!)
    default:
      at -= 1
      throw fault("an escape of JSON")
    }
  }

  private mutating func hex() throws(TextFault) -> UInt32 {
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

  /// Any value, kept. A number without a fraction within Int is whole, `1.0` as well, but for minus zero.
  package mutating func value() throws(TextFault) -> JSONValue { try value(depth: 0) }

  /// Skips any value.
  package mutating func skip() throws(TextFault) { _ = try value() }

  private mutating func value(depth: Int) throws(TextFault) -> JSONValue {
    guard depth < deepest else { throw fault("at most \(deepest) levels of brackets") }
    switch peek() {
    case UInt8(ascii: "{")?:
      at += 1
      var members: [JSONValue.Member] = []
      var names: Set<String> = []
      var isFirst = true
      while let key = try key(&isFirst) {
        let name = try name(key)
        if isStrict, !names.insert(name).inserted {
          throw TextFault(found: "the key '\(name.prefix(64))' twice", expected: "each key once")
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
      let start = text.baseAddress!
      if isWhole, let whole = NumberText.integer(start, text.count), whole != 0 || start.pointee != UInt8(ascii: "-") {
        return .integer(Int(whole))
      }
      guard case .number(let number) = NumberText.double(start, text.count) else {
        throw TextFault(found: "a number beyond the range of a Double", expected: "a finite number")
      }
      return Int(exactly: number).map { .integer($0) } ?? .number(number)
    }
  }

  /// A key, read: its bytes are between quotes.
  private func name(_ key: UnsafeBufferPointer<UInt8>) throws(TextFault) -> String {
    if key.contains(UInt8(ascii: "\\")) {
      var reader = JSONReader(UnsafeBufferPointer(start: key.baseAddress! - 1, count: key.count + 2))
      return try reader.string("a key")
    }
    guard let name = String(validating: key, as: UTF8.self) else { throw fault("UTF-8") }
    return name
  }
}
