import Foundation
import LiveSessions
import Simulation
import Testing

/// A log with damage: what is whole is read, what is not is named and kept, and only its sessions stop.
@Suite struct LogDamageTests {
  typealias Folder = LogTests.Folder
  private static let version = "1.0"

  /// A log as it was written: which bytes are whose.
  private struct Written {
    var folder: Folder
    /// Session numbers to ids.
    var ids: [UInt64: String] = [:]
    /// Batches of each.
    var counts: [UInt64: UInt64] = [:]
    /// Payloads of batches.
    var payloads: [(place: WriteAheadLog.Place, range: Range<Int>, session: UInt64, sequence: UInt64)] = []
    var last: WriteAheadLog.Place?
    /// Places of the log, as (segment, byte).
    var bytes: [(segment: Int, byte: Int)] = []
  }

  /// Five sessions in turn over several segments; one is finished, one deleted.
  private static func write(segmentSize: Int = 3000, batches: UInt64 = 24) throws -> Written {
    var written = Written(folder: try Folder())
    let log = try WriteAheadLog(folder: written.folder.path, version: version, segmentSize: segmentSize) { _ in }
    for number in 1...5 as ClosedRange<UInt64> {
      let identity = SessionIdentity(
        id: TokenHash.random(bytes: 16), ingest: TokenHash(of: "a"), read: TokenHash(of: "b"), body: Array("{}".utf8))
      written.ids[number] = identity.id
      try log.append(LogRecord(kind: .create, session: number, arrival: 1, payload: identity.payload), copies: 2)
    }
    // The same log every time: which records share a segment decides what a test sees.
    var dice = SeededRandom(seed: 11)
    for sequence in 0..<batches {
      for number in 1...5 as ClosedRange<UInt64> {
        let payload = (0..<Int.random(in: 20...160, using: &dice)).map { _ in UInt8.random(in: 32...126, using: &dice) }
        let record = LogRecord(kind: .batch, session: number, sequence: sequence, arrival: 2, payload: payload)
        let place = try log.append(record).place
        written.payloads.append((place, place.offset + 41..<place.offset + 41 + payload.count, number, sequence))
        written.counts[number] = sequence + 1
        written.last = place
      }
    }
    try log.append(LogRecord(kind: .finish, session: 2, sequence: batches, arrival: 3))
    try log.append(LogRecord(kind: .delete, session: 3, arrival: 3))
    let tail = LogRecord(kind: .batch, session: 1, sequence: batches, arrival: 4, payload: Array("the last one".utf8))
    let place = try log.append(tail).place
    written.payloads.append((place, place.offset + 41..<place.offset + 41 + 12, 1, batches))
    written.counts[1] = batches + 1
    written.last = place
    log.close()
    for name in written.folder.segments {
      let size = try #require(FileManager.default.contents(atPath: "\(written.folder.path)/\(name)")).count
      for byte in 0..<size { written.bytes.append((Int(name.dropLast(4))!, byte)) }
    }
    return written
  }

  private static func change(_ folder: Folder, _ segment: Int, _ body: (inout Data) -> Void) throws {
    let path = "\(folder.path)/\(LogDamage.name(segment))"
    var data = try #require(FileManager.default.contents(atPath: path))
    body(&data)
    try data.write(to: URL(fileURLWithPath: path))
  }

  private static func open(_ folder: Folder) throws -> (log: WriteAheadLog, index: LogIndex, records: [LogRecord]) {
    var index = LogIndex()
    var records: [LogRecord] = []
    let log = try WriteAheadLog(folder: folder.path, version: version, segmentSize: 3000) {
      index.add($0)
      if case .record(let record, _) = $0 { records.append(record) }
    }
    index.finish()
    return (log, index, records)
  }

  /// A byte at 200 places of the log, the head of the last record among them: nothing outside the damaged payload is lost.
  @Test func aFlippedByte() throws {
    let written = try Self.write()
    var (mended, lost, tails) = (0, 0, 0)
    for k in 0..<200 {
      let at = written.bytes[(k * written.bytes.count + k) / 200 % written.bytes.count]
      let folder = try Folder(of: written.folder)
      try Self.change(folder, at.segment) { $0[at.byte] ^= UInt8(1 << (k % 8)) }
      let original = FileManager.default.contents(atPath: "\(folder.path)/\(LogDamage.name(at.segment))")
      let (log, index, records) = try Self.open(folder)
      defer { log.close() }
      let hit = written.payloads.first { $0.place.segment == at.segment && $0.range.contains(at.byte) }
      let isTail = hit != nil && hit!.place == written.last
      #expect(
        index.damage.count == 1 && index.damage[0].segment == at.segment && index.damage[0].range.contains(at.byte))
      #expect(records.count { $0.kind == .batch } == written.payloads.count - (hit == nil ? 0 : 1))
      #expect(index.gone == [3] && index.orphans.isEmpty && index.sessions.count == 4)
      let words = index.lines { $0 }.joined()
      for (number, session) in index.sessions {
        #expect(session.identity.id == written.ids[number])
        if let hit, hit.session == number {
          #expect(session.places.count == Int(hit.sequence))
          if isTail {
            #expect(session.failure == nil && session.warning?.contains("batch \(hit.sequence)") == true)
          } else {
            #expect(session.hole?.missing == hit.sequence...hit.sequence)
            #expect(session.after.map(\.sequence) == Array(hit.sequence + 1..<written.counts[number]!))
            #expect(session.failure?.contains("batch \(hit.sequence) ") == true)
            #expect(session.failure?.contains(LogDamage.name(at.segment)) == true)
          }
          #expect(words.contains("batch \(hit.sequence) of session \(written.ids[number]!)"))
        } else {
          #expect(session.places.count == Int(written.counts[number]!) && session.hole == nil && session.warning == nil)
        }
        #expect(session.isFinished == (number == 2))
      }
      // The original is aside, and where it was unless it is the tail.
      let aside = try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/damaged")
      #expect(aside.count == 1)
      let kept = FileManager.default.contents(atPath: "\(folder.path)/damaged/\(aside[0])")
      let now = FileManager.default.contents(atPath: "\(folder.path)/\(LogDamage.name(at.segment))")
      if isTail {
        #expect(now! + kept! == original!)
        tails += 1
      } else {
        #expect(kept == original && now == original)
        if hit == nil { mended += 1 } else { lost += 1 }
      }
      // The next start finds the same, and what was cut is not missing again.
      log.close()
      let (again, second, _) = try Self.open(folder)
      again.close()
      #expect(second.damage.count == (isTail ? 0 : 1))
      #expect(second.sessions.mapValues(\.places.count) == index.sessions.mapValues(\.places.count))
    }
    #expect(mended > 40 && lost > 40)
  }

  /// The last batch's payload: its session waits for it again, and nobody else is told anything.
  @Test func theTail() throws {
    let written = try Self.write()
    let place = written.last!
    try Self.change(written.folder, place.segment) { $0[place.offset + 45] ^= 1 }
    let (log, index, _) = try Self.open(written.folder)
    #expect(index.damage.map(\.isTail) == [true] && index.damage[0].cause == .payload)
    #expect(index.sessions[1]?.warning?.contains("send it again") == true && index.sessions[1]?.failure == nil)
    try log.append(LogRecord(kind: .batch, session: 1, sequence: 24, arrival: 5, payload: [65]))
    log.close()
    let (again, second, _) = try Self.open(written.folder)
    again.close()
    #expect(second.damage.isEmpty && second.sessions[1]?.places.count == 25)
  }

  /// A tail that is not whole in any other segment is damage: it was cut when that segment was the last.
  @Test func aShortSegmentInTheMiddle() throws {
    let written = try Self.write()
    try Self.change(written.folder, 2) { $0.removeLast(30) }
    let (log, index, _) = try Self.open(written.folder)
    log.close()
    #expect(index.damage.count == 1 && !index.damage[0].isTail && index.damage[0].segment == 2)
    let identity = try #require(index.damage[0].identity)
    if identity.kind == .batch, identity.session != 3 {
      #expect(index.sessions[identity.session]?.hole?.missing.lowerBound == identity.sequence)
    }
    #expect(index.sessions.values.count { $0.hole == nil } >= 3)
  }

  /// Both heads of a record, and a sector of zeros: the holes say whose it was, and who may have lost more is named.
  @Test func bytesThatSayNothing() throws {
    let written = try Self.write()
    // The last whole batches of 4 and 5 lie in front of the end: hit everything from the last batch of 4 to that of 5.
    let four = written.payloads.last { $0.session == 4 }!, five = written.payloads.last { $0.session == 5 }!
    try #require(four.place.segment == five.place.segment && written.last?.segment == five.place.segment)
    try Self.change(written.folder, four.place.segment) { data in
      for index in four.place.offset..<five.range.upperBound + 41 { data[index] = 0 }
    }
    let (log, index, _) = try Self.open(written.folder)
    log.close()
    #expect(index.damage.map(\.cause) == [.unknown])
    for number in [4, 5] as [UInt64] {
      let session = try #require(index.sessions[number])
      #expect(session.places.count == 23 && session.hole == nil && session.doubts == index.damage)
      #expect(session.warning?.contains("from 23 on") == true)
    }
    // Session 1 has a batch behind it, 2 its end.
    #expect(index.sessions[1]?.doubts == [] && index.sessions[2]?.doubts == [])
    let line = index.lines { $0 }[0]
    #expect(line.contains(written.ids[4]!) && line.contains(written.ids[5]!) && !line.contains(written.ids[1]!))
  }

  @Test func aMissingSegment() throws {
    let written = try Self.write()
    unlink("\(written.folder.path)/\(LogDamage.name(3))")
    let (log, index, _) = try Self.open(written.folder)
    log.close()
    #expect(index.damage.map(\.cause) == [.missing] && index.damage[0].segment == 3)
    for (number, session) in index.sessions {
      let lost = Set(written.payloads.filter { $0.session == number && $0.place.segment == 3 }.map(\.sequence))
      if let first = lost.min() {
        #expect(session.hole?.missing == first...lost.max()! && session.hole?.causes == index.damage)
      } else {
        #expect(session.hole == nil)
      }
    }
  }

  /// Neither is taken for an empty one.
  @Test func aSegmentThatCannotBeRead() throws {
    let written = try Self.write()
    let path = "\(written.folder.path)/\(LogDamage.name(2))"
    unlink(path)
    mkdir(path, 0o700)
    #expect(throws: LogError.file(path: path, cause: "no regular file")) { _ = try Self.open(written.folder) }
  }

  /// Both copies of a beginning: its batches are kept and named, and no folder is lost with it.
  @Test func aSessionWithoutItsBeginning() throws {
    let written = try Self.write(segmentSize: 1 << 20)
    let path = "\(written.folder.path)/\(LogDamage.name(1))"
    var data = try #require(FileManager.default.contents(atPath: path))
    let id = Data(written.ids[4]!.utf8)
    while let range = data.range(of: id) { data[range.lowerBound] ^= 0x01 }
    try data.write(to: URL(fileURLWithPath: path))
    let (log, index, _) = try Self.open(written.folder)
    #expect(
      index.damage.count == 2 && index.damage.allSatisfy { $0.identity?.kind == .create && $0.identity?.session == 4 })
    #expect(index.orphans[4]?.count == 24 && index.sessions[4] == nil && index.last == 5)
    #expect(index.orphanLines.first?.contains("24 batches") == true)
    log.close()
  }

  /// A compaction leaves damaged segments and what is behind the damage, and a deleted session stays deleted.
  @Test func compactionKeepsDamage() throws {
    let written = try Self.write()
    let hit = written.payloads.first { $0.session == 4 && $0.sequence == 6 }!
    try Self.change(written.folder, hit.place.segment) { $0[hit.range.lowerBound] ^= 0xFF }
    var (log, index, _) = try Self.open(written.folder)
    try log.append(LogRecord(kind: .delete, session: 1, arrival: 9))
    #expect(try log.remove(sessions: [1, 3], from: Set(1...20)) { _, _ in })
    log.close()
    for _ in 0..<2 {
      (log, index, _) = try Self.open(written.folder)
      #expect(index.gone.contains(1) && index.damage.count == 1 && index.damage[0].segment == hit.place.segment)
      #expect(index.sessions[4]?.hole?.missing == 6...6 && index.sessions[4]?.after.count == 17)
      for number in [2, 5] as [UInt64] { #expect(index.sessions[number]?.places.count == 24) }
      #expect(try log.remove(sessions: [1, 3], from: Set(1...20)) { _, _ in })
      log.close()
    }
  }

  /// Damage that comes while it is open is not written over by a compaction.
  @Test func compactionDoesNotHideNewDamage() throws {
    let written = try Self.write()
    let (log, _, _) = try Self.open(written.folder)
    let hit = written.payloads.first { $0.session == 4 && $0.sequence == 6 }!
    try Self.change(written.folder, hit.place.segment) { $0[hit.range.lowerBound] ^= 0xFF }
    #expect(throws: LogError.self) { _ = try log.remove(sessions: [3], from: Set(1...20)) { _, _ in } }
    log.close()
    let (again, index, _) = try Self.open(written.folder)
    again.close()
    #expect(index.sessions[4]?.hole?.missing == 6...6 && index.gone.contains(3) && index.sessions[3] == nil)
  }

  /// A log of format 1 is read, compacted into format 2, and its damage is found.
  @Test func formatOne() throws {
    let folder = try Folder()
    let identity = SessionIdentity(
      id: TokenHash.random(bytes: 16), ingest: TokenHash(of: "a"), read: TokenHash(of: "b"), body: [])
    var bytes = Array("fuse-log-1\n\(Self.version)\n".utf8)
    bytes += LogFormatTests.first(LogRecord(kind: .create, session: 1, arrival: 1, payload: identity.payload))
    var begins: [Int] = []
    for k in 0..<10 as Range<UInt64> {
      begins.append(bytes.count)
      bytes += LogFormatTests.first(LogFormatTests.record(1, k, bytes: 40))
      bytes += LogFormatTests.first(LogFormatTests.record(2, k, bytes: 40))
    }
    _ = FileManager.default.createFile(atPath: "\(folder.path)/\(LogDamage.name(1))", contents: Data(bytes))
    var (log, index, _) = try Self.open(folder)
    #expect(index.damage.isEmpty && index.sessions[1]?.places.count == 10)
    var read: [UInt64] = []
    try log.read({ index.sessions[1]!.places }) {
      read.append($0.sequence)
      return true
    }
    #expect(read == Array(0..<10))
    let copy = try Folder(of: folder)
    #expect(try log.remove(sessions: [2], from: [1]) { _, _ in })
    log.close()
    (log, index, _) = try Self.open(folder)
    #expect(index.damage.isEmpty && index.sessions[1]?.places.count == 10 && index.orphans.isEmpty)
    log.close()
    try Self.change(copy, 1) { $0[begins[4] + 50] ^= 2 }
    (log, index, _) = try Self.open(copy)
    log.close()
    #expect(index.damage.map(\.cause) == [.unknown] && index.sessions[1]?.hole?.missing == 4...4)
    #expect(index.sessions[1]?.hole?.causes == index.damage && index.sessions[1]?.after.count == 5)
  }
}
