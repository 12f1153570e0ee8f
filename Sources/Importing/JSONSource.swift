import Datasets

/// A small JSON document of a source; its faults name the line of a key.
struct JSONSource {
  let document: JSONValue
  private let path: String
  private let bytes: [UInt8]

  init(path: String) throws(DatasetError) {
    self.path = path
    bytes = try RegularFile.bytes(path, limit: 1 << 24)
    guard let value = JSONValue(parsing: bytes) else {
      throw DatasetError(
        file: path, line: JSONValue.lineOfFault(in: bytes), found: "no JSON",
        expected: "one JSON object, as the data set's authors write it")
    }
    document = value
  }

  subscript(key: String) -> JSONValue? { document[key] }

  /// A fault at the key's `occurrence`-th place in the file, or at the last place before it; at line 1 without one.
  func fault(_ key: String, _ occurrence: Int = 0, found: String, expected: String) -> DatasetError {
    let quoted = Array("\"\(key)\"".utf8)
    var line = 1, place = 1, seen = 0
    for (at, byte) in bytes.enumerated() {
      if byte == 0x0A { line += 1 }
      guard byte == 0x22, bytes[at...].starts(with: quoted) else { continue }
      place = line
      seen += 1
      if seen > occurrence { break }
    }
    return DatasetError(file: path, line: place, found: found, expected: expected)
  }
}
