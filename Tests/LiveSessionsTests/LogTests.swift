import Foundation
import LiveSessions
import Testing

/// The write-ahead log: torn tails, segments, deletion, syncs.
@Suite struct LogTests {
  final class Folder: Sendable {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("fuse-log-\(UUID().uuidString)").path
    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(atPath: path) }
    /// A copy of another one.
    convenience init(of other: Folder) throws {
      try self.init()
      try FileManager.default.removeItem(atPath: path)
      try FileManager.default.copyItem(atPath: other.path, toPath: path)
    }
    var segments: [String] {
      ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).filter { $0.hasSuffix(".log") }.sorted()
    }
  }

  private static func record(_ session: UInt64, _ sequence: UInt64, bytes: Int = 10) -> LogRecord {
    LogFormatTests.record(session, sequence, bytes: bytes)
  }

  private typealias Placed = (record: LogRecord, place: WriteAheadLog.Place)

  private func open(_ folder: Folder, segmentSize: Int = 1 << 20) throws -> (WriteAheadLog, [Placed]) {
    var found: [Placed] = []
    let log = try WriteAheadLog(folder: folder.path, version: "1.0", segmentSize: segmentSize) {
      if case .record(let record, let place) = $0, record.kind != .removed { found.append((record, place)) }
    }
    return (log, found)
  }

  @discardableResult private func append(_ log: WriteAheadLog, _ record: LogRecord) throws -> WriteAheadLog.Place {
    let done = DispatchSemaphore(value: 0)
    let ticket = try log.append(record)
    log.whenSynced(ticket) { error in
      #expect(error == nil)
      done.signal()
    }
    #expect(done.wait(timeout: .now() + 20) == .success)
    return ticket.place
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
    // What was cut is kept.
    let kept = try #require(FileManager.default.contentsOfDirectory(atPath: folder.path + "/damaged").first)
    #expect(FileManager.default.contents(atPath: folder.path + "/damaged/" + kept) == Data(torn.dropLast(4)))
    #expect(found.map(\.record) == (0..<3).map { Self.record(1, $0) })
    try append(second, Self.record(1, 3))
    second.close()
    let (third, all) = try open(folder)
    #expect(all.map(\.record.sequence) == [0, 1, 2, 3])
    var again: [LogRecord] = []
    try third.read({ all.map(\.place) }) {
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
      places.append(try append(log, Self.record(UInt64(k % 2 + 1), UInt64(k / 2), bytes: 50)))
    }
    #expect(folder.segments.count > 3)
    var kept = places.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
    let isDone = try log.remove(sessions: [1], from: Set(places.map(\.segment))) { segment, moved in
      for index in kept.indices {
        if kept[index].segment == segment, let to = moved[kept[index].offset] { kept[index].offset = to }
      }
    }
    #expect(isDone)
    var left: [LogRecord] = []
    try log.read({ kept }) {
      left.append($0); return true
    }
    #expect(left == (0..<10).map { Self.record(2, $0, bytes: 50) })
    try append(log, Self.record(2, 10, bytes: 50))
    log.close()
    let (again, found) = try open(folder)
    #expect(found.map(\.record.sequence) == Array(0...10) && found.allSatisfy { $0.record.session == 2 })
    again.close()
  }

  @Test func anotherVersionAndASecondProcess() throws {
    let folder = try Folder()
    let (log, _) = try open(folder)
    #expect(throws: LogError.busy(path: folder.path)) { _ = try open(folder) }
    try append(log, Self.record(1, 0))
    log.close()
    do {
      _ = try WriteAheadLog(folder: folder.path, version: "2.0") { _ in }
      Issue.record("a log of another version was taken")
    } catch { #expect("\(error)".contains("a log of fuse 1.0, expected 2.0") && "\(error)".contains("--export")) }
  }

  /// A compaction that empties segments says so: they are not missing.
  @Test func removedSegmentsAreNotMissing() throws {
    let folder = try Folder()
    var (log, _) = try open(folder, segmentSize: 400)
    for round in 0..<4 {
      var segments: Set<Int> = []
      for k in 0..<12 {
        segments.insert(try append(log, Self.record(UInt64(round + 10), UInt64(k), bytes: 50)).segment)
      }
      try append(log, Self.record(1, UInt64(round), bytes: 50))
      #expect(try log.remove(sessions: [UInt64(round + 10)], from: segments) { _, _ in })
      log.close()
      var found: [Placed]
      (log, found) = try open(folder, segmentSize: 400)
      #expect(log.damage.isEmpty && found.map(\.record.sequence) == Array(0...UInt64(round)))
      // They do not pile up: those of session 1, the lists, the current one.
      #expect(folder.segments.count <= 2 * (round + 1) + 2)
    }
    log.close()
  }

  /// Nothing moves while somebody reads.
  @Test func aReaderHoldsUpTheCompaction() throws {
    let folder = try Folder()
    let (log, _) = try open(folder)
    let places = try [append(log, Self.record(1, 0)), append(log, Self.record(2, 0)), append(log, Self.record(2, 1))]
    var seen: [UInt64] = []
    try log.read({ Array(places[1...]) }) { record in
      seen.append(record.sequence)
      let isDone = try log.remove(sessions: [1], from: [1]) { _, _ in Issue.record("moved") }
      #expect(!isDone)
      return true
    }
    #expect(seen == [0, 1])
    var moved: [Int: [Int: Int]] = [:]
    let isDone = try log.remove(sessions: [1], from: [1]) { moved[$0] = $1 }
    #expect(isDone && moved[1]?.count == 2)
    log.close()
  }
}
