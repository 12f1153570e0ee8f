import Foundation

extension JSONValue: Decodable {
  private struct AnyKey: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// Any JSON; members of objects sorted by name.
  package init(from decoder: any Decoder) throws {
    if let object = try? decoder.container(keyedBy: AnyKey.self) {
      self = .object(
        try object.allKeys.sorted { $0.stringValue < $1.stringValue }.map {
          Member(key: $0.stringValue, value: try object.decode(JSONValue.self, forKey: $0))
        })
      return
    }
    if var list = try? decoder.unkeyedContainer() {
      var values: [JSONValue] = []
      while !list.isAtEnd { values.append(try list.decode(JSONValue.self)) }
      self = .array(values)
      return
    }
    let scalar = try decoder.singleValueContainer()
    if scalar.decodeNil() {
      self = .null
    } else if let flag = try? scalar.decode(Bool.self) {
      self = .bool(flag)
    } else if let whole = try? scalar.decode(Int.self) {
      self = .integer(whole)
    } else if let number = try? scalar.decode(Double.self) {
      self = .number(number)
    } else {
      self = .string(try scalar.decode(String.self))
    }
  }

  /// The value in a file.
  ///
  /// - Throws: `DatasetError` for an unreadable file and for invalid JSON.
  package init(contentsOf path: String) throws(DatasetError) {
    let data: Data
    do { data = try Data(contentsOf: URL(fileURLWithPath: path)) } catch {
      throw DatasetError(file: path, found: "no readable file", expected: "JSON")
    }
    do { self = try JSONDecoder().decode(JSONValue.self, from: data) } catch {
      throw DatasetError(file: path, found: "no JSON", expected: "JSON as 'fuse' writes it")
    }
  }

  /// The member of that name; nil where there is none or this is no object.
  package subscript(key: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key == key }?.value
  }

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
}
