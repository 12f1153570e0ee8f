import LiveSessions
import Testing

/// The bytes of the log: what is written reads back, and what is damaged is told apart from what is whole.
@Suite struct LogFormatTests {
  static func record(_ session: UInt64, _ sequence: UInt64, bytes: Int = 10) -> LogRecord {
    LogRecord(
      kind: .batch, session: session, sequence: sequence, arrival: -5,
      payload: (0..<bytes).map { UInt8(truncatingIfNeeded: $0 &* 7) })
  }

  /// CRC-32C bit by bit. Check value: RFC 3720 B.4, 32 bytes of zeros: 8A9136AA.
  static func checksum(_ bytes: some Sequence<UInt8>) -> UInt32 {
    var crc: UInt32 = ~0
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0x82F6_3B78 : crc >> 1 }
    }
    return ~crc
  }

  /// A record as format 1 had it.
  static func first(_ record: LogRecord) -> [UInt8] {
    func bytes<T: FixedWidthInteger>(_ value: T) -> [UInt8] { withUnsafeBytes(of: value.littleEndian) { Array($0) } }
    let body =
      [record.kind.rawValue] + bytes(record.session) + bytes(record.sequence)
      + bytes(UInt64(bitPattern: record.arrival)) + record.payload
    return bytes(UInt32(body.count)) + bytes(checksum(body)) + body
  }

  static func items(_ bytes: [UInt8], from offset: Int = 0, format: Int = 2) -> [LogScan.Item] {
    bytes.withUnsafeBytes { all in
      var items: [LogScan.Item] = []
      while let item = LogScan.item(all, at: items.last?.range.upperBound ?? offset, format: format) {
        items.append(item)
      }
      return items
    }
  }

  @Test func recordsReadBack() {
    var bytes = LogFormat.header(version: "1.2.3")
    let records = [
      Self.record(1, 0), Self.record(.max, 7, bytes: 0), LogRecord(kind: .delete, session: 3, arrival: .max),
      Self.record(2, 1 << 40, bytes: 70_000),
    ]
    for record in records { LogFormat.append(record, to: &bytes) }
    let header = bytes.withUnsafeBytes { LogFormat.header($0) }
    #expect(header == LogFormat.Header(format: 2, version: "1.2.3", length: LogFormat.header(version: "1.2.3").count))
    let items = Self.items(bytes, from: header!.length)
    #expect(items.map(\.record) == records && items.allSatisfy { $0.cause == nil })
    #expect(items.last!.range.upperBound == bytes.count)
  }

  @Test func formatOneReadsBack() {
    let records = [
      Self.record(1, 0), Self.record(1, 1, bytes: 0), LogRecord(kind: .finish, session: 1, sequence: 2, arrival: 9),
    ]
    let bytes = Array("fuse-log-1\n0.2.0\n".utf8) + records.flatMap(Self.first)
    #expect(bytes.withUnsafeBytes { LogFormat.header($0) } == LogFormat.Header(format: 1, version: "0.2.0", length: 17))
    #expect(Self.items(bytes, from: 17, format: 1).map(\.record) == records)
  }

  @Test func checksumsAreCastagnoli() {
    #expect(Self.checksum([UInt8](repeating: 0, count: 32)) == 0x8A91_36AA)
    var bytes: [UInt8] = []
    LogFormat.append(Self.record(1, 2, bytes: 100), to: &bytes)
    func stored(_ at: Int) -> UInt32 { bytes[at..<at + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) } }
    #expect(stored(33) == Self.checksum(bytes[41..<141]) && stored(37) == Self.checksum(bytes[0..<37]))
  }

  /// Whatever byte is damaged, the neighbours are read, and the record is whole or known.
  @Test(arguments: [1, 2]) func everyDamagedByte(format: Int) {
    let records = [Self.record(1, 0, bytes: 30), Self.record(2, 5, bytes: 30), Self.record(1, 1, bytes: 30)]
    let parts = records.map { record in
      guard format == 2 else { return Self.first(record) }
      var bytes: [UInt8] = []
      LogFormat.append(record, to: &bytes)
      return bytes
    }
    let begin = parts[0].count
    for index in 0..<parts[1].count {
      for flip: UInt8 in [0x01, 0x10, 0xFF] {
        var bytes = parts.flatMap { $0 }
        bytes[begin + index] ^= flip
        let items = Self.items(bytes, format: format)
        #expect(items.count == 3 && items.first?.record == records[0] && items.last?.record == records[2])
        guard items.count == 3, items[1].range == begin..<begin + parts[1].count else {
          Issue.record("\(items) at \(index)")
          continue
        }
        if format == 1 {
          #expect(items[1].record == nil && items[1].cause == .unknown)
        } else if (41..<71).contains(index) {
          #expect(items[1].record == nil && items[1].cause == .payload)
          #expect(items[1].identity == LogDamage.Identity(kind: .batch, session: 2, sequence: 5))
        } else {
          #expect(items[1].record == records[1] && items[1].cause == .mended)
        }
      }
    }
  }

  /// Bytes that are gone, that are too many, and a stretch of zeros over several records.
  @Test func stretches() {
    let records = (0..<20).map { Self.record(UInt64($0 % 3), UInt64($0 / 3), bytes: 20 + $0) }
    var bytes: [UInt8] = []
    var begins: [Int] = []
    for record in records {
      begins.append(bytes.count)
      LogFormat.append(record, to: &bytes)
    }
    for begin in stride(from: 0, to: bytes.count - 300, by: 13) {
      let first = begins.lastIndex { $0 <= begin }!, last = begins.lastIndex { $0 < begin + 290 }!
      let untouched = records[..<first] + records[(last + 1)...]
      var zeros = bytes
      for index in begin..<begin + 290 { zeros[index] = 0 }
      let cut = Array(bytes[..<begin] + bytes[(begin + 290)...])
      let more = Array(bytes[..<begin] + [UInt8](repeating: 0x66, count: 290) + bytes[begin...])
      for (damaged, kept) in [
        (zeros, Array(untouched)), (cut, Array(untouched)),
        (more, records.indices.filter { $0 != first }.map { records[$0] }),
      ] {
        let items = Self.items(damaged)
        let found = items.compactMap(\.record)
        #expect(kept.allSatisfy(found.contains), "at \(begin)")
        #expect(found.allSatisfy(records.contains))
        // Nothing is left out, nothing is read twice.
        #expect(items.first?.range.lowerBound == 0 && items.last?.range.upperBound == damaged.count)
        #expect(zip(items, items.dropFirst()).allSatisfy { $0.range.upperBound == $1.range.lowerBound })
      }
    }
  }

  @Test func whatIsCutOffIsTold() {
    for format in [1, 2] {
      var bytes: [UInt8] = []
      LogFormat.append(Self.record(4, 9, bytes: 50), to: &bytes)
      if format == 1 { bytes = Self.first(Self.record(4, 9, bytes: 50)) }
      for length in 1..<bytes.count {
        let items = Self.items(Array(bytes[..<length]), format: format)
        #expect(items.map(\.cause) == [.cutOff], "format \(format), \(length) bytes")
        if format == 2, length >= 41 { #expect(items[0].identity?.sequence == 9) }
      }
    }
    #expect(Self.items([UInt8](repeating: 0, count: 5000)).map(\.cause) == [.cutOff])
  }

  @Test func oneOfTwoLinesIsEnough() {
    let header = LogFormat.header(version: "1.2.3")
    for index in header.indices {
      var damaged = header
      damaged[index] ^= 0x04
      let found = damaged.withUnsafeBytes { LogFormat.header($0) }
      #expect(
        found == LogFormat.Header(format: 2, version: "1.2.3", length: header.count, isMended: true), "byte \(index)")
      #expect(header.prefix(index).withUnsafeBytes { LogFormat.header($0) } == nil)
    }
  }
}
