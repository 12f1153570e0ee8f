import Foundation
import LiveSessions
import Testing

/// The write-ahead log: format, torn tails, segments, deletion.
@Suite struct LogTests {
  private final class Folder {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("fuse-log-\(UUID().uuidString)").path
    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(atPath: path) }
    var segments: [String] {
      ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).filter { $0.hasSuffix(".log") }.sorted()
    }
  }

  private static func record(_ session: UInt64, _ sequence: UInt64, bytes: Int = 10) -> LogRecord {
    LogRecord(
      kind: .batch, session: session, sequence: sequence, arrival: -5,
      payload: (0..<bytes).map { UInt8(truncatingIfNeeded: $0) })
  }

  private func open(_ folder: Folder, segmentSize: Int = 1 << 20) throws -> (WriteAheadLog, [WriteAheadLog.Placed]) {
    var found: [WriteAheadLog.Placed] = []
    let log = try WriteAheadLog(folder: folder.path, version: "1.0", segmentSize: segmentSize) {
      found.append(($0, $1))
    }
    return (log, found)
  }

  private func append(_ log: WriteAheadLog, _ record: LogRecord) throws {
    let done = DispatchSemaphore(value: 0)
    try log.append(record) { _ in done.signal() }
    #expect(done.wait(timeout: .now() + 20) == .success)
  }

  @Test func formatReadsBack() {
    var bytes = LogFormat.header(version: "1.2.3")
    let records = [
      Self.record(1, 0), Self.record(.max, 7, bytes: 0), LogRecord(kind: .delete, session: 3, arrival: .max),
    ]
    for record in records { LogFormat.append(record, to: &bytes) }
    bytes.withUnsafeBytes { all in
      #expect(LogFormat.version(all)?.version == "1.2.3")
      var at = LogFormat.version(all)!.length
      var found: [LogRecord] = []
      while let (record, next) = LogFormat.record(all, at: at) {
        found.append(record)
        at = next
      }
      #expect(found == records && at == all.count)
    }
  }

  /// The check value of CRC-32C: RFC 3720 B.4, 32 bytes of zeros: 8A9136AA.
  @Test func checksumIsCastagnoli() {
    var bytes: [UInt8] = []
    // Kind, session, sequence and arrival of this record are 25 bytes; 7 of payload make 32, but kind is not 0: compare
    // by hand with a second way of computing.
    LogFormat.append(
      LogRecord(kind: .create, session: 0, arrival: 0, payload: [UInt8](repeating: 0, count: 7)), to: &bytes)
    var crc: UInt32 = ~0
    for byte in bytes[8...] {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0x82F6_3B78 : crc >> 1 }
    }
    let stored = bytes[4..<8].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    #expect(stored == ~crc)
  }

  @Test func everyDamagedByteEndsTheReading() {
    var bytes: [UInt8] = []
    LogFormat.append(Self.record(1, 2), to: &bytes)
    for index in bytes.indices {
      var damaged = bytes
      damaged[index] ^= 0x10
      #expect(damaged.withUnsafeBytes { LogFormat.record($0, at: 0) } == nil)
      #expect(bytes.prefix(index).withUnsafeBytes { LogFormat.record($0, at: 0) } == nil)
    }
  }

  @Test func tornTailsAreCutAndWhatFollowsIsKept() throws {
    let folder = try Folder()
    let (log, none) = try open(folder)
    #expect(none.isEmpty)
    for k in 0..<3 { try append(log, Self.record(1, UInt64(k))) }
    log.close()
    // A record of which half was written.
    let path = folder.path + "/" + folder.segments.last!
    var torn: [UInt8] = []
    LogFormat.append(Self.record(1, 3), to: &torn)
    let file = try #require(FileHandle(forWritingAtPath: path))
    try file.seekToEnd()
    try file.write(contentsOf: Data(torn.dropLast(4)))
    try file.close()
    let (second, found) = try open(folder)
    #expect(found.map(\.record) == (0..<3).map { Self.record(1, $0) })
    try append(second, Self.record(1, 3))
    second.close()
    let (third, all) = try open(folder)
    #expect(all.map(\.record.sequence) == [0, 1, 2, 3])
    var again: [LogRecord] = []
    try third.read(all.map(\.place)) {
      again.append($0); return true
    }
    #expect(again == all.map(\.record))
    third.close()
  }

  @Test func segmentsAndDeletion() throws {
    let folder = try Folder()
    let (log, _) = try open(folder, segmentSize: 400)
    var places: [WriteAheadLog.Place] = []
    for k in 0..<20 {
      let done = DispatchSemaphore(value: 0)
      places.append(try log.append(Self.record(UInt64(k % 2), UInt64(k / 2), bytes: 50)) { _ in done.signal() })
      done.wait()
    }
    #expect(folder.segments.count > 3)
    var kept = places.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
    try log.remove(sessions: [0], from: Set(places.map(\.segment))) { moved in
      for index in kept.indices {
        if let to = moved[kept[index].segment]?[kept[index].offset] { kept[index].offset = to }
      }
    }
    var left: [LogRecord] = []
    try log.read(kept) {
      left.append($0); return true
    }
    #expect(left == (0..<10).map { Self.record(1, $0, bytes: 50) })
    try append(log, Self.record(1, 10, bytes: 50))
    log.close()
    let (again, found) = try open(folder)
    #expect(found.map(\.record.sequence) == Array(0...10) && found.allSatisfy { $0.record.session == 1 })
    again.close()
  }

  @Test func anotherVersionAndASecondProcess() throws {
    let folder = try Folder()
    let (log, _) = try open(folder)
    #expect(throws: LogError.busy(path: folder.path)) { _ = try open(folder) }
    try append(log, Self.record(1, 0))
    log.close()
    do {
      _ = try WriteAheadLog(folder: folder.path, version: "2.0") { _, _ in }
      Issue.record("a log of another version was taken")
    } catch { #expect("\(error)".contains("a log of fuse 1.0, expected 2.0")) }
  }
}
