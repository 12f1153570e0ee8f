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

  /// Whether it holds other values.
  package var isContainer: Bool {
    switch self {
    case .array, .object: true
    default: false
    }
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
