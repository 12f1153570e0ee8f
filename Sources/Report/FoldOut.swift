import Datasets
import JSONText

/// Nested values as rows of name and text, for the tables at the end of the page.
enum FoldOut {
  /// Rows `[name, text]`, names joined by dots; none for nil.
  static func rows(_ value: JSONValue?) -> JSONValue { .array(value.map { rows($0, name: "") } ?? []) }

  private static func rows(_ value: JSONValue, name: String) -> [JSONValue] {
    switch value {
    case .object(let members):
      members.flatMap { rows($0.value, name: name.isEmpty ? $0.key : "\(name).\($0.key)") }
    default: [.array([.string(name), .string(text(value))])]
    }
  }

  private static func text(_ value: JSONValue) -> String {
    switch value {
    case .null: "-"
    case .string(let text): text
    case .array(let values): values.map(text).joined(separator: ", ")
    default:
      {
        var json = JSONWriter()
        json.value(value)
        return String(decoding: json.bytes, as: UTF8.self)
      }()
    }
  }
}
