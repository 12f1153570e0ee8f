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
    let found = try Self.read(#" {"t": -12, "x" :[1.5,2], "s": "a\"b", "n":null } "#) { reader in
      var found: [String] = []
      try reader.need(UInt8(ascii: "{"), "an object")
      var isFirst = true
      while let key = try reader.key(&isFirst) {
        let name = String(decoding: key, as: UTF8.self)
        switch name {
        case "t": found.append("\(name) \(try reader.integer("a time"))")
        case "x":
          try reader.need(UInt8(ascii: "["), "a list")
          repeat { found.append("\(name) \(try reader.number() ?? .infinity)") } while reader.pass(UInt8(ascii: ","))
          try reader.need(UInt8(ascii: "]"), "the end of the list")
        case "s": found.append("\(name) \(try reader.string("a text"))")
        default: found.append("\(name) \(reader.passNull())")
        }
      }
      return found + ["\(reader.isAtEnd())"]
    }
    #expect(found == ["t -12", "x 1.5", "x 2.0", "s a\"b", "n true", "true"])
  }

  /// A line of events has plain keys, each once; a document may have others, and the first of two is found.
  @Test(arguments: [#"{"a":1,"a":2}"#, #"{"\u0061":1}"#])
  func strictnessIsAboutKeys(_ text: String) throws {
    #expect(Self.fault(text, isStrict: true) != nil)
    #expect(Self.fault(text, isStrict: false) == nil)
    let tree = try Self.read(text) { try $0.value() }
    #expect(tree["a"] == .integer(1))
  }

  @Test func nestingIsBounded() {
    let text = String(repeating: "[", count: 20) + String(repeating: "]", count: 20)
    #expect(Self.fault(text, isStrict: false, deepest: 16)?.expected == "at most 16 levels of brackets")
    #expect(Self.fault(text, isStrict: false) == nil)
  }

  /// Python writes NaN, and a text may hold what would end it.
  @Test func wordsAndTextsStayAsTheyAre() throws {
    let found = try Self.read(#"[NaN, "a\"]\\", -Infinity]"#) { reader in
      var found: [String] = []
      try reader.need(UInt8(ascii: "["), "a list")
      repeat {
        let isText = reader.peek() == UInt8(ascii: "\"")
        found.append(String(decoding: try isText ? reader.quoted("a text") : reader.word(), as: UTF8.self))
      } while reader.pass(UInt8(ascii: ","))
      try reader.need(UInt8(ascii: "]"), "the end of the list")
      return found
    }
    #expect(found == ["NaN", #"a\"]\\"#, "-Infinity"])
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
