import Datasets
import JSONText

/// One object of JSON as a flat list of its numbers and texts by path: no tree, no allocation an object once it is warm.
/// Numbers may be words of other languages, such as `NaN`: they count as none.
///
/// `{"time":1,"sensor":{"type":"gyroscope","values":[2,3,4]}}` has the paths `time`, `sensor.type`, `sensor.values.0`...
struct FlatJSON {
  /// A path, hashed (FNV-1a): lines have some ten members of known names.
  struct Path: Equatable {
    fileprivate var hash: UInt64

    init(_ path: StaticString) {
      hash = 0xCBF2_9CE4_8422_2325
      path.withUTF8Buffer { for byte in $0 { add(byte) } }
    }

    fileprivate init() { hash = 0xCBF2_9CE4_8422_2325 }

    /// The path of an element or a member below this one.
    func element(_ index: Int) -> Path {
      var path = self
      path.add(0x2E)
      if index < 10 {
        path.add(0x30 + UInt8(index))
      } else {
        for byte in String(index).utf8 { path.add(byte) }
      }
      return path
    }

    fileprivate mutating func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
  }

  private struct Entry {
    var path: Path
    var bytes: UnsafeBufferPointer<UInt8>
    var isText: Bool

    /// Its first byte and their number; nil for a text.
    var number: (UnsafePointer<UInt8>, Int)? { isText ? nil : (bytes.baseAddress!, bytes.count) }
  }

  private var entries: [Entry] = []
  private var parents: [Path] = []

  /// Reads a line; false where it is no JSON object. The bytes must outlive the use of the values.
  mutating func read(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
    var reader = JSONReader(line)
    return read(&reader) && reader.isAtEnd()
  }

  /// Reads the next object; false where there is none.
  mutating func read(_ reader: inout JSONReader) -> Bool {
    entries.removeAll(keepingCapacity: true)
    parents.removeAll(keepingCapacity: true)
    do {
      guard reader.peek() == UInt8(ascii: "{") else { return false }
      try members(&reader, of: Path(), depth: 0)
      return true
    } catch { return false }
  }

  private subscript(path: Path) -> Entry? { entries.first { $0.path == path } }

  /// The finite number at a path.
  func number(_ path: Path) -> Double? {
    guard let (start, count) = self[path]?.number, case .number(let value) = NumberText.double(start, count) else {
      return nil
    }
    return value
  }

  /// The time at a path, seconds, in whole nanoseconds.
  func time(_ path: Path) -> Int64? {
    self[path]?.number.flatMap { DecimalTime.nanoseconds($0, $1, .seconds) }
  }

  /// The unit in which the number at a path is a time since 1970.
  func likelyUnit(_ path: Path) -> DecimalTime.Unit? { self[path]?.number.flatMap { DecimalTime.likelyUnit($0, $1) } }

  /// Whether there is a value at a path, or below it.
  func has(_ path: Path) -> Bool { parents.contains(path) || self[path] != nil }

  /// The bytes of the number or text at a path, as they stand.
  func raw(_ path: Path) -> UnsafeBufferPointer<UInt8>? { self[path]?.bytes }

  /// Whether the text at a path is this one.
  func isText(_ path: Path, _ text: StaticString) -> Bool {
    guard let entry = self[path], entry.isText else { return false }
    return text.withUTF8Buffer { entry.bytes.elementsEqual($0) }
  }

  /// The text at a path, for messages.
  func text(_ path: Path) -> String? {
    guard let entry = self[path], entry.isText else { return nil }
    return String(decoding: entry.bytes, as: UTF8.self)
  }

  private mutating func value(_ reader: inout JSONReader, _ path: Path, depth: Int) throws(TextFault) {
    guard depth < 32 else { throw reader.fault("at most 32 levels of brackets") }
    switch reader.peek() {
    case UInt8(ascii: "{")?:
      parents.append(path)
      try members(&reader, of: path, depth: depth)
    case UInt8(ascii: "[")?:
      parents.append(path)
      reader.pass(UInt8(ascii: "["))
      if reader.pass(UInt8(ascii: "]")) { return }
      var index = 0
      repeat {
        try value(&reader, path.element(index), depth: depth + 1)
        index += 1
      } while reader.pass(UInt8(ascii: ","))
      try reader.need(UInt8(ascii: "]"), "',' or ']'")
    case UInt8(ascii: "\"")?: entries.append(Entry(path: path, bytes: try reader.quoted("a text"), isText: true))
    default: entries.append(Entry(path: path, bytes: try reader.word(), isText: false))
    }
  }

  private mutating func members(_ reader: inout JSONReader, of path: Path, depth: Int) throws(TextFault) {
    reader.pass(UInt8(ascii: "{"))
    var isFirst = true
    while let key = try reader.key(&isFirst) {
      var below = path
      if depth > 0 { below.add(0x2E) }
      for byte in key { below.add(byte) }
      try value(&reader, below, depth: depth + 1)
    }
  }
}

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
