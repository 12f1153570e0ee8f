import Datasets

/// One line of JSON as a flat list of its numbers and texts by path: no tree, no allocation a line once it is warm.
///
/// `{"time":1,"sensor":{"type":"gyroscope","values":[2,3,4]}}` has the paths `time`, `sensor.type`, `sensor.values.0`...
struct JSONLine {
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
    var start: Int
    var count: Int
    var isText: Bool
  }

  private var entries: [Entry] = []
  private var parents: [Path] = []
  private var bytes = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
  private var at = 0
  private var depth = 0

  /// Reads a line; false where it is no JSON object. The bytes must outlive the use of the values.
  mutating func read(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
    entries.removeAll(keepingCapacity: true)
    parents.removeAll(keepingCapacity: true)
    (bytes, at, depth) = (line, 0, 0)
    skipBlanks()
    guard at < bytes.count, bytes[at] == 0x7B, value(Path(), isRoot: true) else { return false }
    skipBlanks()
    return at == bytes.count
  }

  /// The finite number at a path.
  func number(_ path: Path) -> Double? {
    guard let entry = entries.first(where: { $0.path == path }), !entry.isText,
      case .number(let value) = NumberText.double(bytes.baseAddress! + entry.start, entry.count)
    else { return nil }
    return value
  }

  /// The time at a path, seconds, in whole nanoseconds.
  func time(_ path: Path) -> Int64? {
    guard let entry = entries.first(where: { $0.path == path }), !entry.isText else { return nil }
    return DecimalTime.nanoseconds(bytes.baseAddress! + entry.start, entry.count, .seconds)
  }

  /// The unit in which the number at a path is a time since 1970.
  func likelyUnit(_ path: Path) -> DecimalTime.Unit? {
    guard let entry = entries.first(where: { $0.path == path }), !entry.isText else { return nil }
    return DecimalTime.likelyUnit(bytes.baseAddress! + entry.start, entry.count)
  }

  /// Whether there is a value at a path, or below it.
  func has(_ path: Path) -> Bool { parents.contains(path) || entries.contains { $0.path == path } }

  /// The bytes of the number or text at a path, as they stand.
  func raw(_ path: Path) -> UnsafeBufferPointer<UInt8>? {
    entries.first { $0.path == path }.map { UnsafeBufferPointer(rebasing: bytes[$0.start..<$0.start + $0.count]) }
  }

  /// Whether the text at a path is this one.
  func isText(_ path: Path, _ text: StaticString) -> Bool {
    guard let entry = entries.first(where: { $0.path == path }), entry.isText,
      entry.count == text.utf8CodeUnitCount
    else { return false }
    return text.withUTF8Buffer { wanted in
      (0..<entry.count).allSatisfy { bytes[entry.start + $0] == wanted[$0] }
    }
  }

  /// The text at a path, for messages.
  func text(_ path: Path) -> String? {
    entries.first { $0.path == path && $0.isText }.map {
      String(decoding: UnsafeBufferPointer(rebasing: bytes[$0.start..<$0.start + $0.count]), as: UTF8.self)
    }
  }

  private mutating func skipBlanks() {
    while at < bytes.count, bytes[at] <= 0x20 { at += 1 }
  }

  private mutating func value(_ path: Path, isRoot: Bool = false) -> Bool {
    guard at < bytes.count, depth < 32 else { return false }
    switch bytes[at] {
    case 0x7B, 0x5B: return container(path, isRoot: isRoot)
    case 0x22:
      guard let (start, count) = string() else { return false }
      entries.append(Entry(path: path, start: start, count: count, isText: true))
      return true
    default:
      let start = at
      while at < bytes.count, case let byte = bytes[at], byte != 0x2C, byte != 0x7D, byte != 0x5D, byte > 0x20 {
        at += 1
      }
      entries.append(Entry(path: path, start: start, count: at - start, isText: false))
      return at > start
    }
  }

  private mutating func container(_ path: Path, isRoot: Bool) -> Bool {
    let isObject = bytes[at] == 0x7B, close: UInt8 = isObject ? 0x7D : 0x5D
    if !isRoot { parents.append(path) }
    depth += 1
    defer { depth -= 1 }
    at += 1
    skipBlanks()
    if at < bytes.count, bytes[at] == close {
      at += 1
      return true
    }
    var index = 0
    while true {
      skipBlanks()
      var below = path
      if isObject {
        guard let (start, count) = string() else { return false }
        if !isRoot { below.add(0x2E) }
        for i in start..<start + count { below.add(bytes[i]) }
        skipBlanks()
        guard at < bytes.count, bytes[at] == 0x3A else { return false }
        at += 1
        skipBlanks()
      } else {
        below = path.element(index)
        index += 1
      }
      guard value(below) else { return false }
      skipBlanks()
      guard at < bytes.count else { return false }
      if bytes[at] == close {
        at += 1
        return true
      }
      guard bytes[at] == 0x2C else { return false }
      at += 1
    }
  }

  /// A quoted text, its bytes as they are: names here have no escapes.
  private mutating func string() -> (start: Int, count: Int)? {
    guard at < bytes.count, bytes[at] == 0x22 else { return nil }
    let start = at + 1
    at = start
    while at < bytes.count, bytes[at] != 0x22 { at += bytes[at] == 0x5C ? 2 : 1 }
    guard at < bytes.count else { return nil }
    at += 1
    return (start, at - 1 - start)
  }
}
