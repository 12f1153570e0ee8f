/// A JSON value. Objects keep the given order, so the same content gives the same bytes.
package indirect enum JSONValue: Equatable, Sendable {
  /// One name and its value.
  package struct Member: Equatable, Sendable {
    /// The name.
    package var key: String
    /// The value.
    package var value: JSONValue

    /// A name and its value.
    package init(key: String, value: JSONValue) {
      self.key = key
      self.value = value
    }
  }

  /// No value.
  case null
  /// A truth value.
  case bool(Bool)
  /// A whole number.
  case integer(Int)
  /// A number; written as `null` when it is not finite.
  case number(Double)
  /// Text.
  case string(String)
  /// A list.
  case array([JSONValue])
  /// Named values.
  case object([Member])

  /// A number, or null.
  package static func number(_ value: Double?) -> JSONValue { value.map { JSONValue.number($0) } ?? .null }

  /// Text, or null.
  package static func string(_ value: String?) -> JSONValue { value.map { JSONValue.string($0) } ?? .null }

  /// A list of texts.
  package static func texts(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }

  /// Whether it holds other values.
  package var isContainer: Bool {
    switch self {
    case .array, .object: true
    default: false
    }
  }

  /// The member of that name; nil where there is none or this is no object.
  ///
  /// One that is set keeps its place, a new one is the last; nil removes it. What is no object stays.
  package subscript(key: String) -> JSONValue? {
    get { members?.first { $0.key == key }?.value }
    set {
      guard case .object(var members) = self else { return }
      let index = members.firstIndex { $0.key == key } ?? members.endIndex
      let end = min(index + 1, members.endIndex)
      members.replaceSubrange(index..<end, with: newValue.map { [Member(key: key, value: $0)] } ?? [])
      self = .object(members)
    }
  }

  /// The members of an object; nil for anything else.
  package var members: [Member]? { if case .object(let members) = self { members } else { nil } }

  /// The elements of a list; nil for anything else.
  package var elements: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }

  /// The number, whole or not; nil for anything else.
  package var double: Double? {
    switch self {
    case .number(let value): value
    case .integer(let value): Double(value)
    default: nil
    }
  }

  /// The text; nil for anything else.
  package var text: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// A dictionary, sorted by name.
  package static func sorted(_ dictionary: [String: JSONValue]) -> JSONValue {
    .object(dictionary.sorted { $0.key < $1.key }.map { Member(key: $0.key, value: $0.value) })
  }
}

extension JSONValue: ExpressibleByDictionaryLiteral {
  package init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(elements.map { Member(key: $0.0, value: $0.1) })
  }
}

extension JSONValue {
  /// The one value of a text; members stay in their order, and of a name that occurs twice the first is found.
  ///
  /// - Throws: `TextFault` for what is no JSON.
  package init(_ text: UnsafeBufferPointer<UInt8>) throws(TextFault) {
    var reader = JSONReader(text)
    self = try reader.value()
    guard reader.isAtEnd() else { throw reader.fault("one value") }
  }

  /// The one value of a text, members of objects sorted by name; nil where it is no JSON.
  package init?(parsing text: [UInt8]) {
    guard let value = text.withUnsafeBufferPointer({ try? JSONValue($0) }) else { return nil }
    self = value.sorted
  }

  /// The line, from 1, at which a text ceases to be JSON; nil where it is JSON.
  package static func lineOfFault(in text: [UInt8]) -> Int? {
    text.withUnsafeBufferPointer { text in
      var reader = JSONReader(text)
      let isValue = (try? reader.value()) != nil
      return reader.isAtEnd() && isValue ? nil : reader.line
    }
  }

  /// The same with the members of all objects sorted by name.
  private var sorted: JSONValue {
    switch self {
    case .array(let elements): .array(elements.map(\.sorted))
    case .object(let members):
      .object(members.map { Member(key: $0.key, value: $0.value.sorted) }.sorted { $0.key < $1.key })
    default: self
    }
  }
}
