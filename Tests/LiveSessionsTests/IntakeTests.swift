import Foundation
import LiveSessions
import Testing

/// The intake of a session: order, the bound on what waits, and what a restart finds.
@Suite struct IntakeTests {
  static let header = """
    {"version":1,"trajectory":"odometry","rig":{"odometry0":{"T_BS":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]},\
    "uwb0":{"T_BS":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]}}}
    """

  /// A second of poses along a curve, and of ranges.
  static func batch(_ second: Int) throws -> EventBatch {
    var text = ""
    for k in 0..<20 {
      let time = second * 1_000_000_000 + k * 50_000_000
      let (x, y) = (cos(Double(time) * 1e-9 / 3), sin(Double(time) * 1e-9 / 3))
      text += "{\"pose\":{\"t\":\(time),\"p\":[\(x),\(y),0],\"q\":[1,0,0,0]}}\n"
      if k % 2 == 0 {
        text += "{\"range\":{\"t\":\(time),\"peer\":\"tag\",\"range\":\(hypot(x - 4, y - 1)),\"std\":0.1}}\n"
      }
    }
    return try EventBatch(Array(text.utf8))
  }

  private static func submit(_ session: LiveSession, _ sequence: UInt64, _ batch: EventBatch) async -> LiveSession.Reply
  {
    await withCheckedContinuation { continuation in
      session.submit(sequence, batch) { continuation.resume(returning: $0) }
    }
  }

  private static func finish(_ session: LiveSession) async -> LiveSession.Reply {
    await withCheckedContinuation { continuation in session.finish { continuation.resume(returning: $0) } }
  }

  private static func updates(_ session: LiveSession) -> Data? {
    FileManager.default.contents(atPath: "\(session.folder)/updates.jsonl")
  }

  /// A session that is closed in its midst and one that is not give the same updates; repeated batches change nothing, and
  /// what comes behind the end of the results is refused.
  @Test func aRestartGoesOn() async throws {
    var found: [Data?] = []
    for isInterrupted in [false, true] {
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("fuse-intake-\(UUID().uuidString)")
        .path
      defer { try? FileManager.default.removeItem(atPath: folder) }
      var registry = try SessionRegistry(folder: folder, limits: SessionLimits()) { Issue.record("\($0)") }
      var session = try await registry.begin(SessionSetup(body: Array(Self.header.utf8)))
      for second in 0..<20 {
        if isInterrupted, second == 11 {
          registry.close()
          registry = try SessionRegistry(folder: folder, limits: SessionLimits()) { Issue.record("\($0)") }
          session = try #require(registry.session(session.identity.id))
          // Known before it has recovered: a client goes on at once.
          #expect(session.currentStatus.next == 11)
        }
        #expect(
          await Self.submit(session, UInt64(second), try Self.batch(second)) == .accepted(next: UInt64(second + 1)))
        if second % 5 == 3 {
          #expect(await Self.submit(session, 2, try Self.batch(2)) == .accepted(next: UInt64(second + 1)))
          #expect(await Self.submit(session, 90, try Self.batch(90)) == .early(next: UInt64(second + 1)))
        }
      }
      #expect(await Self.finish(session) == .accepted(next: 20))
      // The answer to `finish` says that the results are final.
      #expect(session.currentStatus.state == .finished)
      #expect(await Self.submit(session, 20, try Self.batch(20)) == .finished)
      #expect(await Self.finish(session) == .accepted(next: 20))
      found.append(Self.updates(session))
      registry.close()
    }
    #expect(found[0] != nil && found[0] == found[1] && found[0]!.count > 10_000)
  }

  /// The number of a batch with other content is an error, also for a session that was closed, or is over.
  @Test func theSameNumberWithOtherContent() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("fuse-intake-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var registry = try SessionRegistry(folder: folder, limits: SessionLimits()) { Issue.record("\($0)") }
    var session = try await registry.begin(SessionSetup(body: Array(Self.header.utf8)))
    for k in 0..<3 { _ = await Self.submit(session, UInt64(k), try Self.batch(k)) }
    let sizes = try (0..<3).map { try Self.batch($0).bytes.count }
    for round in 0..<3 {
      for k in 0..<3 {
        #expect(await Self.submit(session, UInt64(k), try Self.batch(k)) == .accepted(next: 3))
        let other = try Self.batch((k + 1) % 3)
        #expect(
          await Self.submit(session, UInt64(k), other)
            == .different(UInt64(k), taken: sizes[k], found: other.bytes.count, next: 3))
      }
      #expect(session.currentStatus.next == 3 && session.batchPlaces.count == 3)
      if round == 1 { #expect(await Self.finish(session) == .accepted(next: 3)) }
      registry.close()
      registry = try SessionRegistry(folder: folder, limits: SessionLimits()) { Issue.record("\($0)") }
      session = try #require(registry.session(session.identity.id))
    }
    registry.close()
  }

  /// An acknowledgement says what the finder will not use, the status says it in words, and a restart counts the same.
  @Test func whatIsSkippedIsTold() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("fuse-intake-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var registry = try SessionRegistry(folder: folder, limits: SessionLimits()) { Issue.record("\($0)") }
    var session = try await registry.begin(SessionSetup(body: Array(Self.header.utf8)))
    func range(_ nanoseconds: Int, _ value: Double = 4) -> String {
      "{\"range\":{\"t\":\(nanoseconds),\"peer\":\"tag\",\"range\":\(value),\"std\":0.1}}\n"
    }
    #expect(await Self.submit(session, 0, try Self.batch(0)) == .accepted(next: 1))
    // A minute ahead: it is not the new time.
    let ahead = try EventBatch(Array(range(61_000_000_000).utf8) + Self.batch(1).bytes)
    #expect(await Self.submit(session, 1, ahead) == .accepted(next: 2, skipped: ["futureStamp": 1]))
    let bad = try EventBatch(Array((range(2_001_000_000, -1) + range(500_000_000) + range(1_950_000_000)).utf8))
    #expect(
      await Self.submit(session, 2, bad) == .accepted(next: 3, skipped: ["negativeRange": 1, "timeGoingBack": 1]))
    #expect(await Self.submit(session, 3, try Self.batch(2)) == .accepted(next: 4))
    let lines = session.currentStatus.skips
    #expect(
      lines.count == 1
        && lines[0].hasPrefix(
          "range: 3 of 34 measurements are not used (futureStamp 1, negativeRange 1, timeGoingBack 1): ")
    )
    registry.close()
    registry = try SessionRegistry(folder: folder, limits: SessionLimits()) { Issue.record("\($0)") }
    session = try #require(registry.session(session.identity.id))
    #expect(await Self.submit(session, 4, try Self.batch(3)) == .accepted(next: 5))
    #expect(session.currentStatus.skips == [lines[0].replacing("34", with: "44")])
    #expect(await Self.finish(session) == .accepted(next: 5))
    #expect(session.currentStatus.damage == [.range: [.futureStamp: 1, .negativeRange: 1, .timeGoingBack: 1]])
    registry.close()
  }

  /// A session with a hole in the log stops in front of it and says why; the others go on.
  @Test func aHoleInTheLog() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("fuse-intake-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var registry = try SessionRegistry(folder: folder, limits: SessionLimits()) { Issue.record("\($0)") }
    var sessions: [LiveSession] = []
    for _ in 0..<3 { sessions.append(try await registry.begin(SessionSetup(body: Array(Self.header.utf8)))) }
    for k in 0..<6 {
      for session in sessions { _ = await Self.submit(session, UInt64(k), try Self.batch(k)) }
    }
    #expect(await Self.finish(sessions[2]) == .accepted(next: 6))
    let updates = Self.updates(sessions[2])
    let place = sessions[1].batchPlaces[4], finished = sessions[2].batchPlaces[2]
    registry.close()
    let path = "\(folder)/log/\(LogDamage.name(place.segment))"
    var data = try #require(FileManager.default.contents(atPath: path))
    data[place.offset + 100] ^= 1
    data[finished.offset + 100] ^= 1
    try data.write(to: URL(fileURLWithPath: path))
    for _ in 0..<2 {
      var said: [String] = []
      registry = try SessionRegistry(folder: folder, limits: SessionLimits()) { said.append($0) }
      #expect(said.contains { $0.contains("batch 4 of session \(sessions[1].identity.id.prefix(6))...") })
      #expect(said.allSatisfy { !$0.contains(sessions[1].identity.id) }, "no id in the log")
      sessions = try sessions.map { try #require(registry.session($0.identity.id)) }
      let reply = await Self.submit(sessions[1], 6, try Self.batch(6))
      guard case .failed(let reason) = reply else { return #expect(reply == .failed("")) }
      #expect(reason.contains("batch 4 missing") && reason.contains(LogDamage.name(place.segment)))
      #expect(sessions[1].currentStatus.state == .failed && sessions[1].currentStatus.failure == reason)
      // What is whole can be read.
      #expect(sessions[1].batchPlaces.count == 4 && Self.updates(sessions[1])!.count > 1000)
      let tar = try registry.recording(of: sessions[1])
      #expect(FileManager.default.contents(atPath: tar)!.count > 1000)
      // Twice: the second time the finder has gone and comes back; the session stays what it is.
      for _ in 0..<2 {
        let document = await withCheckedContinuation { reply in sessions[1].result { reply.resume(returning: $0) } }
        #expect(document.map { String(decoding: $0, as: UTF8.self).contains("tag") } == true)
        #expect(sessions[1].currentStatus.state == .failed)
        try await Task.sleep(for: .milliseconds(50))
      }
      // Final results are whole without the log.
      #expect(sessions[2].currentStatus.state == .finished && Self.updates(sessions[2]) == updates)
      #expect(
        sessions[2].currentStatus.warnings.contains { $0.contains("the recording is not") && $0.contains("batch 2 ") })
      let next = sessions[0].currentStatus.next
      #expect(await Self.submit(sessions[0], next, try Self.batch(Int(next))) == .accepted(next: next + 1))
      registry.close()
    }
    let check = try LogExport.check(data: folder)
    #expect(!check.isWhole && check.lines.count { $0.contains("batch 4 of session \(sessions[1].identity.id)") } == 1)
    let output = folder + "/exported"
    let export = try LogExport.export(data: folder, to: output)
    let names = try FileManager.default.contentsOfDirectory(atPath: output)
    let ids = sessions.map(\.identity.id)
    #expect(Set(names) == [ids[0], ids[1], "\(ids[1])-from-5", ids[2], "\(ids[2])-from-3"] && !export.isWhole)
    let rows = try String(contentsOfFile: "\(output)/\(ids[1])/mav0/uwb0/data.csv", encoding: .utf8).split(
      separator: "\n")
    #expect(rows.count == 1 + 4 * 10)
    let again = try LogExport.export(data: folder, to: output)
    #expect(again.lines.count { $0.contains("it is there, expected a name that is free") } == 5)
  }

  /// A folder whose session the log does not know may be that of one whose beginning is damaged: it stays.
  @Test func foldersWithoutASessionStay() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("fuse-intake-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var registry = try SessionRegistry(folder: folder, limits: SessionLimits()) { Issue.record("\($0)") }
    let session = try await registry.begin(SessionSetup(body: Array(Self.header.utf8)))
    #expect(try await registry.delete(session))
    // Deleted, and the process died before the folder was gone.
    try FileManager.default.createDirectory(atPath: session.folder, withIntermediateDirectories: false)
    let other = "\(folder)/sessions/\(TokenHash.random(bytes: 16))"
    try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: false)
    registry.close()
    var said: [String] = []
    registry = try SessionRegistry(folder: folder, limits: SessionLimits()) { said.append($0) }
    #expect(FileManager.default.fileExists(atPath: other) && !FileManager.default.fileExists(atPath: session.folder))
    #expect(said.count == 1 && said[0].contains("a folder of no session in the log: kept"))
    registry.close()
  }

  /// What does not fit is refused, what was accepted is a beginning without a gap, and it is in the log.
  @Test func whatWaitsIsBounded() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("fuse-intake-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var limits = SessionLimits()
    limits.waitingBatches = 2
    let registry = try SessionRegistry(folder: folder, limits: limits) { Issue.record("\($0)") }
    let session = try await registry.begin(SessionSetup(body: Array(Self.header.utf8)))
    let batches = try (0..<60).map(Self.batch)
    let replies = Replies()
    for (sequence, batch) in batches.enumerated() {
      session.submit(UInt64(sequence), batch) { replies.add(sequence, $0) }
    }
    // Behind them in the intake: by its answer all others are given.
    while await Self.finish(session) == .overloaded(1) { try await Task.sleep(for: .milliseconds(20)) }
    let accepted = replies.all.filter { if case .accepted = $0.value { true } else { false } }
    #expect(replies.all.count == 60 && accepted.count >= 2)
    #expect(accepted.keys.sorted() == Array(0..<accepted.count))
    #expect(session.batchPlaces.count == accepted.count && session.currentStatus.next == UInt64(accepted.count))
    registry.close()
  }

  private final class Replies: @unchecked Sendable {
    private let lock = NSLock()
    private var found: [Int: LiveSession.Reply] = [:]
    func add(_ sequence: Int, _ reply: LiveSession.Reply) { lock.withLock { found[sequence] = reply } }
    var all: [Int: LiveSession.Reply] { lock.withLock { found } }
  }
}
