import JSONText
import Testing

/// What readers of event lines and of other people's objects use of the one parser.
@Suite struct JSONReaderTests {
  /// Reads a text; the reader must not outlive the bytes.
  private static func read<Value>(
    _ text: String, isStrict: Bool = false, deepest: Int = 64, _ body: (inout JSONReader) throws -> Value
  ) rethrows -> Value {
    try Array(text.utf8).withUnsafeBufferPointer { bytes in
      var reader = JSONReader(bytes, deepest: deepest, isStrict: isStrict)
      return try body(&reader)
    }
  }

  private static func fault(_ text: String, isStrict: Bool, deepest: Int = 64) -> TextFault? {
    read(text, isStrict: isStrict, deepest: deepest) { reader in
      do throws(TextFault) { try reader.skip() } catch { return error }
      return nil
    }
  }

  @Test func membersAreReadOneByOne() throws {
    try Self.read(#" {"t": -12, "x" :[1.5,2], "s": "a\"b", "n":null } "#) { reader in
      try reader.need(UInt8(ascii: "{"), "an object")
      var isFirst = true
      var keys: [String] = []
      while let key = try reader.key(&isFirst) {
        keys.append(String(decoding: key, as: UTF8.self))
        switch keys.last {
        case "t": #expect(try reader.integer("a time") == -12)
        case "x":
          try reader.need(UInt8(ascii: "["), "a list")
          #expect(try reader.number() == 1.5 && reader.pass(UInt8(ascii: ",")))
          #expect(try reader.number() == 2 && reader.pass(UInt8(ascii: "]")))
        case "s": #expect(try reader.string("a text") == "a\"b")
        default: #expect(reader.passNull())
        }
      }
      #expect(keys == ["t", "x", "s", "n"])
      #expect(reader.isAtEnd())
    }
  }

  /// A line of events has plain keys, each once; a document may have others, and the first of two is found.
  @Test(arguments: [#"{"a":1,"a":2}"#, #"{"\u0061":1}"#])
  func strictnessIsAboutKeys(_ text: String) throws {
    #expect(Self.fault(text, isStrict: true) != nil)
    #expect(Self.fault(text, isStrict: false) == nil)
    #expect(try Self.read(text) { try $0.value() }["a"] == .integer(1))
  }

  @Test func nestingIsBounded() {
    let text = String(repeating: "[", count: 20) + String(repeating: "]", count: 20)
    #expect(Self.fault(text, isStrict: false, deepest: 16)?.expected == "at most 16 levels of brackets")
    #expect(Self.fault(text, isStrict: false) == nil)
  }

  /// Python writes NaN, and a text may hold what would end it.
  @Test func wordsAndTextsStayAsTheyAre() throws {
    try Self.read(#"[NaN, "a\"]\\", -Infinity]"#) { reader in
      func text(_ bytes: UnsafeBufferPointer<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
      try reader.need(UInt8(ascii: "["), "a list")
      #expect(text(try reader.word()) == "NaN" && reader.pass(UInt8(ascii: ",")))
      #expect(text(try reader.quoted("a text")) == #"a\"]\\"# && reader.pass(UInt8(ascii: ",")))
      #expect(text(try reader.word()) == "-Infinity" && reader.pass(UInt8(ascii: "]")))
    }
    for open in [#""a"#, #""a\"#, #""a\""#] {
      #expect(throws: TextFault.self) { try Self.read(open) { _ = try $0.quoted("a text") } }
    }
  }

  @Test func aFaultNamesItsLine() {
    #expect(JSONValue.lineOfFault(in: Array("{\n\"a\": 1,\n\"b\": x\n}".utf8)) == 3)
    #expect(JSONValue.lineOfFault(in: Array("{\n}\n".utf8)) == nil)
  }

  /// Documents have 12.0 and no minus zero; event lines have the shortest that keeps every bit.
  @Test(
    arguments: [
      (12, "12.0", "12"), (-0.0, "0.0", "-0.0"), (0, "0.0", "0"), (0.1, "0.1", "0.1"), (1e22, "1e+22", "1e+22"),
      (.nan, "null", "null"),
    ] as [(Double, String, String)])
  func numbersHaveTwoForms(_ value: Double, _ decimal: String, _ exact: String) {
    for (form, text) in [(JSONWriter.Numbers.decimal, decimal), (.exact, exact)] {
      var json = JSONWriter(form)
      json.number(value)
      #expect(String(decoding: json.bytes, as: UTF8.self) == text)
      #expect(json.nonFiniteCount == (value.isFinite ? 0 : 1))
    }
  }

  @Test(arguments: [0, 9, 10, -1, .max, .min] as [Int64])
  func wholeNumbers(_ value: Int64) {
    var json = JSONWriter()
    json.integer(value)
    #expect(String(decoding: json.bytes, as: UTF8.self) == "\(value)")
  }
}
