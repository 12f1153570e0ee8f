import Foundation
import JSONText
import Testing

/// The reader of results: what RFC 8259 allows, and nothing else.
@Suite struct JSONTests {
  private static func value(_ text: String) -> JSONValue? { JSONValue(parsing: Array(text.utf8)) }

  @Test(
    arguments: [
      ("1", JSONValue.integer(1)), (" -17 ", .integer(-17)), ("1.5", .number(1.5)), ("2.0", .integer(2)),
      ("1e3", .integer(1000)), ("-2.5E-3", .number(-0.0025)), ("9223372036854775807", .integer(.max)),
      ("1e300", .number(1e300)), ("true", .bool(true)), ("false", .bool(false)), ("null", .null), ("\"\"", .string("")),
      (#""a\"\\\/\b\f\n\r\té😀""#, .string("a\"\\/\u{8}\u{c}\n\r\té😀")),
      (#""\u00e9\ud83d\ude00""#, .string("é😀")),
      ("[]", .array([])), ("[1, [2]]", .array([.integer(1), .array([.integer(2)])])), ("{}", .object([])),
      (#"{"b":1,"a":null}"#, JSONValue.sorted(["a": .null, "b": .integer(1)])),
    ] as [(String, JSONValue)])
  func isRead(_ text: String, _ expected: JSONValue) { #expect(Self.value(text) == expected) }

  @Test(arguments: [
    "", " ", "01", "-", "+1", "1.", ".5", "1e", "1e+", "0x1", "nan", "NaN", "inf", "Infinity", "1e999", "tru", "nul",
    "'a'",
    "\"a", "\"\u{1}\"", #""\x""#, #""\u12""#, #""\ud800""#, #""\ud800\u0041""#, #""\udc00""#, "[1,]", "[1", "[1 2]",
    "{",
    #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, "{a:1}", "1 2", "[]]", "#", String(repeating: "[", count: 100_000),
  ])
  func isRefused(_ text: String) { #expect(Self.value(text) == nil, "\(text.prefix(20))") }

  /// A member that is set again keeps its place, a new one is the last, nil removes; what is no object stays.
  @Test func membersAreSet() {
    var object: JSONValue = ["a": .integer(1), "b": .integer(2)]
    (object["a"], object["c"]) = (.null, .texts(["x", "y"]))
    #expect(object.line == #"{"a":null,"b":2,"c":["x","y"]}"#)
    (object["b"], object["none"]) = (nil, nil)
    #expect(object.members?.map(\.key) == ["a", "c"] && object["c"]?.elements?.count == 2)
    var number = JSONValue.integer(1)
    number["a"] = .null
    #expect(number == .integer(1) && number.members == nil && number.elements == nil)
  }

  @Test func textThatIsNoUTF8IsRefused() {
    for bytes in [[0x22, 0xFF, 0x22], [0x22, 0xC3, 0x22], [0x22, 0x5C, 0x6E, 0xED, 0xA0, 0x80, 0x22]] as [[UInt8]] {
      #expect(JSONValue(parsing: bytes) == nil)
    }
  }

  /// What is written is read back, as Foundation reads it.
  @Test func agreesWithFoundation() throws {
    let value: JSONValue = [
      "text": .string("\u{1}\"\\ü😀"), "numbers": .array([.number(0.1), .integer(-3), .number(1e-320), .number(1e22)]),
      "nothing": .null, "nested": ["a": .array([.bool(true), .object([])])],
    ]
    var json = JSONWriter()
    json.pretty(value)
    let read = try #require(JSONValue(parsing: json.bytes))
    #expect(read["text"] == value["text"] && read["nested"] == value["nested"])
    let theirs = try #require(JSONSerialization.jsonObject(with: Data(json.bytes)) as? [String: Any])
    #expect(theirs["text"] as? String == read["text"]?.text)
  }
}
