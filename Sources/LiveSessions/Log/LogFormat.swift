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
    /// Segments that a compaction has removed; of no session. The payload is a `SegmentList`.
    case removed = 5
  }

  /// What it says.
  package var kind: Kind
  /// The session's number in this log, from 1.
  package var session: UInt64
  /// The batch's number in its session; of `finish`, the number of batches.
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

/// Numbers of segments as text: `1-57,60`.
enum SegmentList {
  static func text(_ numbers: Set<Int>) -> String {
    var runs: [ClosedRange<Int>] = []
    for number in numbers.sorted() {
      if let last = runs.last, last.upperBound + 1 == number {
        runs[runs.count - 1] = last.lowerBound...number
      } else {
        runs.append(number...number)
      }
    }
    return runs.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }.joined(separator: ",")
  }

  /// The runs of numbers; what is none is left out.
  static func runs(_ text: [UInt8]) -> [ClosedRange<Int>] {
    String(decoding: text, as: UTF8.self).split(separator: ",").compactMap { run in
      let ends = run.split(separator: "-").compactMap { Int($0) }
      guard let first = ends.first, let last = ends.last, ends.count <= 2, first <= last else { return nil }
      return first...last
    }
  }
}

/// What can go wrong with the log.
package enum LogError: Error, Equatable, Sendable, CustomStringConvertible {
  /// No space is left: nothing of the record was kept.
  case full(path: String)
  /// A file cannot be read or written.
  case file(path: String, cause: String)
  /// A segment of another version.
  case version(path: String, found: String, expected: String)
  /// Another process has the folder.
  case busy(path: String)
  /// The process may open no further file.
  case descriptor(path: String)
  /// The system gives no further thread.
  case thread(cause: String)

  package var description: String {
    switch self {
    case .full(let path): "\(path): no space left, expected room for the log"
    case .file(let path, let cause): "\(path): \(cause)"
    case .version(let path, let found, let expected):
      "\(path): a log of fuse \(found), expected \(expected): its numbers may differ; serve it with that version, "
        + "or take its sessions out: fuse serve --export <data folder> -o <folder>, and give another --data"
    case .descriptor(let path):
      "\(path): no descriptor is left, expected one: raise the limit of open files, or lower --max-connections"
    case .thread(let cause): "the system gives no further thread (\(cause)), expected one: raise its limit of tasks"
    case .busy(let path): "\(path): another fuse-serve has it, expected a data folder of its own"
    }
  }

  /// The word of a limit of the system that is reached; nil for another error.
  package var limit: String? {
    switch self {
    case .descriptor: "descriptors"
    case .thread: "threads"
    default: nil
    }
  }
}

/// CRC-32C (Castagnoli), eight bytes at a time.
/// Source: M. E. Kounavis, F. L. Berry, "A systematic approach to building high performance software-based CRC
/// generators", ISCC 2005, doi:10.1109/ISCC.2005.18.
enum CRC32C {
  private static let tables: [UInt32] = {
    var tables = [UInt32](repeating: 0, count: 8 * 256)
    for byte in 0..<256 {
      var crc = UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0x82F6_3B78 : crc >> 1 }
      tables[byte] = crc
    }
    for byte in 0..<256 {
      for slice in 1..<8 {
        let before = tables[(slice - 1) * 256 + byte]
        tables[slice * 256 + byte] = before >> 8 ^ tables[Int(before & 0xFF)]
      }
    }
    return tables
  }()

  /// The checksum of some bytes.
  static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    tables.withUnsafeBufferPointer { table in
      var crc = ~UInt32(0)
      var at = 0
      while bytes.count - at >= 8 {
        let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self)) ^ UInt64(crc)
        var next: UInt32 = 0
        for k in 0..<8 { next ^= table[(7 - k) * 256 + Int(word >> (8 * UInt64(k)) & 0xFF)] }
        crc = next
        at += 8
      }
      while at < bytes.count {
        crc = crc >> 8 ^ table[Int(UInt8(truncatingIfNeeded: crc) ^ bytes[at])]
        at += 1
      }
      return ~crc
    }
  }
}
