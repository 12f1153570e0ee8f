import Foundation

/// Reads little-endian numbers from bytes; nil beyond their end.
struct LittleEndianReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ data: Data) { bytes = [UInt8](data) }

  /// Bytes not read yet.
  var remaining: Int { bytes.count - position }

  mutating func bytes(_ count: Int) -> [UInt8]? {
    guard count >= 0, remaining >= count else { return nil }
    defer { position += count }
    return Array(bytes[position..<position + count])
  }

  mutating func u8() -> UInt8? { bytes(1)?[0] }
  mutating func u16() -> UInt16? { bytes(2).map { UInt16($0[0]) | UInt16($0[1]) << 8 } }
  mutating func u32() -> UInt32? {
    bytes(4).map { $0.reversed().reduce(0) { $0 << 8 | UInt32($1) } }
  }
}

extension Data {
  /// Appends a number, lowest byte first.
  mutating func append(littleEndian value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }
}
