extension JSONValue {
  /// The one value of a text, members of objects sorted by name; nil where it is no JSON.
  package init?(parsing text: [UInt8]) {
    guard let value = text.withUnsafeBufferPointer({ try? JSONScanner.value($0) }) else { return nil }
    self = value.sorted
  }

  /// The line, from 1, at which a text ceases to be JSON; nil where it is JSON.
  package static func lineOfFault(in text: [UInt8]) -> Int? { text.withUnsafeBufferPointer(JSONScanner.lineOfFault) }

  /// The same with the members of all objects sorted by name.
  private var sorted: JSONValue {
    switch self {
    case .array(let elements): .array(elements.map(\.sorted))
    case .object(let members):
      .object(members.map { Member(key: $0.key, value: $0.value.sorted) }.sorted { $0.key < $1.key })
    default: self
    }
  }

  /// The value in a file.
  ///
  /// - Throws: `DatasetError` for an unreadable file and for invalid JSON.
  package init(contentsOf path: String) throws(DatasetError) {
    let bytes = try RegularFile.bytes(path, limit: 64 << 20)
    guard let value = JSONValue(parsing: bytes) else {
      throw DatasetError(file: path, found: "no JSON", expected: "JSON as 'fuse' writes it")
    }
    self = value
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
