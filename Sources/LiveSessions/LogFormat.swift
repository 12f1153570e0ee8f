/// One record of the write-ahead log.
package struct LogRecord: Equatable, Sendable {
  /// What it says.
  package enum Kind: UInt8, Sendable {
    /// A session begins; the payload describes it.
    case create = 1
    /// A batch of event lines.
    case batch = 2
    /// The session's results are final.
    case finish = 3
    /// The session and its data are gone.
    case delete = 4
  }

  /// What it says.
  package var kind: Kind
  /// The session's number in this log.
  package var session: UInt64
  /// The batch's number in its session.
  package var sequence: UInt64
  /// When it arrived, nanoseconds of the host's clock since 1970; for people, no result depends on it.
  package var arrival: Int64
  /// The bytes.
  package var payload: [UInt8]

  /// A record from its parts.
  package init(kind: Kind, session: UInt64, sequence: UInt64 = 0, arrival: Int64, payload: [UInt8] = []) {
    self.kind = kind
    self.session = session
    self.sequence = sequence
    self.arrival = arrival
    self.payload = payload
  }
}

/// The bytes of a segment of the write-ahead log: a header with the writer's version, then records. No I/O.
///
/// A record is its length and CRC32C, little endian, four bytes each, then what the checksum covers: kind, session,
/// sequence, arrival, payload. Reading ends at the first record that is cut off or whose checksum differs.
package enum LogFormat {
  /// First bytes of every segment.
  static let magic = Array("fuse-log-1\n".utf8)
  /// Largest record.
  static let largest = 1 << 26
  /// Bytes of a record in front of its payload.
  package static let overhead = 8 + 1 + 8 + 8 + 8

  /// The header of a segment by a version of the numbers.
  package static func header(version: String) -> [UInt8] { magic + Array(version.utf8) + [0x0A] }

  /// The version in a segment's header and the header's length; nil where there is no whole header.
  package static func version(_ bytes: UnsafeRawBufferPointer) -> (version: String, length: Int)? {
    guard bytes.count > magic.count, bytes.prefix(magic.count).elementsEqual(magic) else { return nil }
    let rest = bytes[magic.count...].prefix(64)
    guard let end = rest.firstIndex(of: 0x0A) else { return nil }
    return (String(decoding: bytes[magic.count..<end], as: UTF8.self), end + 1)
  }

  /// Appends a record.
  package static func append(_ record: LogRecord, to bytes: inout [UInt8]) {
    let begin = bytes.count
    let length = UInt32(overhead - 8 + record.payload.count)
    bytes.reserveCapacity(begin + overhead + record.payload.count)
    append(length, to: &bytes)
    append(UInt32(0), to: &bytes)
    bytes.append(record.kind.rawValue)
    append(record.session, to: &bytes)
    append(record.sequence, to: &bytes)
    append(UInt64(bitPattern: record.arrival), to: &bytes)
    bytes.append(contentsOf: record.payload)
    bytes.withUnsafeMutableBytes { room in
      let crc = CRC32C.checksum(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(room)[(begin + 8)...]))
      room.storeBytes(of: crc.littleEndian, toByteOffset: begin + 4, as: UInt32.self)
    }
  }

  /// The record at an offset and the offset behind it; nil at the end of what is whole.
  package static func record(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> (record: LogRecord, next: Int)? {
    guard offset >= 0, bytes.count - offset >= overhead else { return nil }
    func number<T: FixedWidthInteger>(_ at: Int, _ type: T.Type) -> T {
      T(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + at, as: T.self))
    }
    let length = Int(number(0, UInt32.self))
    guard length >= overhead - 8, length <= largest, bytes.count - offset - 8 >= length else { return nil }
    let body = UnsafeRawBufferPointer(rebasing: bytes[(offset + 8)..<(offset + 8 + length)])
    guard CRC32C.checksum(body) == number(4, UInt32.self), let kind = LogRecord.Kind(rawValue: body[0]) else {
      return nil
    }
    let record = LogRecord(
      kind: kind, session: number(9, UInt64.self), sequence: number(17, UInt64.self),
      arrival: Int64(bitPattern: number(25, UInt64.self)), payload: Array(body[(overhead - 8)...]))
    return (record, offset + 8 + length)
  }

  private static func append<T: FixedWidthInteger>(_ value: T, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }
}
