/// The bytes of a segment of the write-ahead log, format 2. No I/O.
///
/// A segment begins with a line, twice, so that either is enough: `fuse-log-2`, the writer's version, CRC-32C of both. A
/// record is its head, its payload and its head again, each head with a checksum of its own: whatever single place is
/// damaged, kind, session, sequence and length stay known, and only a damaged payload costs the record.
///
/// A head is 41 bytes, little endian: mark (4), kind (1), length of the payload (4), session (8), sequence (8), arrival (8),
/// CRC-32C of the payload (4), CRC-32C of the head up to here (4). No JSON text has the bytes of a mark in it.
package enum LogFormat {
  /// Largest payload, bytes.
  static let largest = 1 << 26
  /// Bytes of a record beside its payload.
  package static let overhead = 2 * Head.size

  /// Where a head stands.
  enum Mark: UInt32 {
    case front = 0x0266_7201
    case back = 0x0266_7203
  }

  /// What a record says of itself.
  struct Head: Equatable {
    static let size = 41
    var kind: LogRecord.Kind
    var length: Int
    var session: UInt64
    var sequence: UInt64
    var arrival: Int64
    var checksum: UInt32

    init(_ record: LogRecord) {
      kind = record.kind
      length = record.payload.count
      (session, sequence, arrival) = (record.session, record.sequence, record.arrival)
      checksum = record.payload.withUnsafeBytes { CRC32C.checksum($0) }
    }

    /// The head at an offset; nil where there is none whose checksum is right.
    init?(_ bytes: UnsafeRawBufferPointer, at offset: Int, _ mark: Mark) {
      func number<T: FixedWidthInteger>(_ at: Int, _ type: T.Type) -> T {
        T(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + at, as: T.self))
      }
      guard offset >= 0, bytes.count - offset >= Self.size, number(0, UInt32.self) == mark.rawValue,
        number(37, UInt32.self) == CRC32C.checksum(.init(rebasing: bytes[offset..<offset + 37])),
        let kind = LogRecord.Kind(rawValue: bytes[offset + 4]), number(5, UInt32.self) <= largest
      else { return nil }
      self.kind = kind
      length = Int(number(5, UInt32.self))
      session = number(9, UInt64.self)
      sequence = number(17, UInt64.self)
      arrival = Int64(bitPattern: number(25, UInt64.self))
      checksum = number(33, UInt32.self)
    }

    func append(_ mark: Mark, to bytes: inout [UInt8]) {
      let begin = bytes.count
      func add<T: FixedWidthInteger>(_ value: T) { withUnsafeBytes(of: value.littleEndian) { bytes += $0 } }
      add(mark.rawValue)
      bytes.append(kind.rawValue)
      add(UInt32(length))
      add(session)
      add(sequence)
      add(UInt64(bitPattern: arrival))
      add(checksum)
      add(bytes.withUnsafeBytes { CRC32C.checksum(.init(rebasing: $0[begin...])) })
    }

    /// The record with a payload; nil where the payload's checksum differs.
    func record(_ payload: UnsafeRawBufferPointer) -> LogRecord? {
      guard payload.count == length, CRC32C.checksum(payload) == checksum else { return nil }
      return LogRecord(kind: kind, session: session, sequence: sequence, arrival: arrival, payload: Array(payload))
    }
  }

  /// Appends a record.
  package static func append(_ record: LogRecord, to bytes: inout [UInt8]) {
    precondition(record.payload.count <= largest, "a batch is smaller: --max-batch-bytes")
    bytes.reserveCapacity(bytes.count + overhead + record.payload.count)
    let head = Head(record)
    head.append(.front, to: &bytes)
    bytes += record.payload
    head.append(.back, to: &bytes)
  }

  // MARK: the beginning of a segment

  /// What the beginning of a segment says.
  package struct Header: Equatable, Sendable {
    /// The format: 1 or 2.
    package var format: Int
    /// The writer's version.
    package var version: String
    /// Where the records begin, bytes.
    package var length: Int
    /// Whether one of its two lines is damaged.
    package var isMended: Bool

    /// A beginning from its parts.
    package init(format: Int, version: String, length: Int, isMended: Bool = false) {
      (self.format, self.version, self.length, self.isMended) = (format, version, length, isMended)
    }
  }

  /// The beginning of a segment by a version of the numbers.
  package static func header(version: String) -> [UInt8] {
    let text = Array("fuse-log-2 \(version) ".utf8)
    let digits = String(text.withUnsafeBytes { CRC32C.checksum($0) }, radix: 16)
    let line = text + Array((String(repeating: "0", count: 8 - digits.count) + digits + "\n").utf8)
    return line + line
  }

  /// Reads the beginning of a segment; nil where there is none.
  package static func header(_ bytes: UnsafeRawBufferPointer) -> Header? {
    if let first = line(bytes, at: 0) {
      let second = line(bytes, at: first.end)
      guard bytes.count >= 2 * first.end else { return nil }
      return Header(
        format: 2, version: first.version, length: 2 * first.end, isMended: second?.version != first.version)
    }
    if let first = LogFormat1.header(bytes) { return first }
    for begin in 1..<longestLine {
      if let second = line(bytes, at: begin), second.end == 2 * begin {
        return Header(format: 2, version: second.version, length: second.end, isMended: true)
      }
    }
    return nil
  }

  private static let longestLine = 96

  private static func line(_ bytes: UnsafeRawBufferPointer, at begin: Int) -> (version: String, end: Int)? {
    guard begin < bytes.count, let end = bytes[begin...].prefix(longestLine).firstIndex(of: 0x0A) else { return nil }
    let words = String(decoding: bytes[begin..<end], as: UTF8.self).split(
      separator: " ", omittingEmptySubsequences: false)
    guard words.count == 3, words[0] == "fuse-log-2",
      header(version: String(words[1])).prefix(end + 1 - begin)
        .elementsEqual(bytes[begin...end])
    else { return nil }
    return (String(words[1]), end + 1)
  }
}

/// The bytes of a segment of format 1, which is only read: length and CRC-32C, four bytes each, then what the checksum covers:
/// kind, session, sequence, arrival, payload.
package enum LogFormat1 {
  private static let magic = Array("fuse-log-1\n".utf8)
  static let overhead = 8 + 25

  static func header(_ bytes: UnsafeRawBufferPointer) -> LogFormat.Header? {
    guard bytes.count > magic.count, bytes.prefix(magic.count).elementsEqual(magic),
      let end = bytes[magic.count...].prefix(64).firstIndex(of: 0x0A)
    else { return nil }
    return LogFormat.Header(
      format: 1, version: String(decoding: bytes[magic.count..<end], as: UTF8.self), length: end + 1)
  }

  /// The record at an offset and the offset behind it; nil where there is none that is whole.
  static func record(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> (record: LogRecord, next: Int)? {
    guard offset >= 0, bytes.count - offset >= overhead else { return nil }
    func number<T: FixedWidthInteger>(_ at: Int, _ type: T.Type) -> T {
      T(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + at, as: T.self))
    }
    let length = Int(number(0, UInt32.self))
    guard length >= 25, length <= LogFormat.largest, bytes.count - offset - 8 >= length,
      let kind = LogRecord.Kind(rawValue: bytes[offset + 8]), kind != .removed
    else { return nil }
    let body = UnsafeRawBufferPointer(rebasing: bytes[(offset + 8)..<(offset + 8 + length)])
    guard CRC32C.checksum(body) == number(4, UInt32.self) else { return nil }
    let record = LogRecord(
      kind: kind, session: number(9, UInt64.self), sequence: number(17, UInt64.self),
      arrival: Int64(bitPattern: number(25, UInt64.self)), payload: Array(body[25...]))
    return (record, offset + 8 + length)
  }
}
