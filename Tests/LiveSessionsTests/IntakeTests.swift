import Foundation
import LiveSessions
import Testing

/// The intake of a session: order, the bound on what waits, and what a restart finds.
@Suite struct IntakeTests {
  private static let header = """
    {"version":1,"trajectory":"odometry","rig":{"odometry0":{"T_BS":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]},\
    "uwb0":{"T_BS":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]}}}
    """

  /// A second of poses along a curve, and of ranges.
  private static func batch(_ second: Int) throws -> EventBatch {
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

  private static func submit(_ session: LiveSession, _ sequence: UInt64, _ batch: EventBatch) async -> LiveSession.Reply {
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
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("fuse-intake-\(UUID().uuidString)").path
      defer { try? FileManager.default.removeItem(atPath: folder) }
      var registry = try SessionRegistry(folder: folder, limits: SessionLimits()) { Issue.record("\($0)") }
      var session = try await registry.create(SessionSetup(body: Array(Self.header.utf8))).session
      for second in 0..<20 {
        if isInterrupted, second == 11 {
          registry.close()
          registry = try SessionRegistry(folder: folder, limits: SessionLimits()) { Issue.record("\($0)") }
          session = try #require(registry.session(session.identity.id))
          // Known before it has recovered: a client goes on at once.
          #expect(session.currentStatus.next == 11)
        }
        #expect(await Self.submit(session, UInt64(second), try Self.batch(second)) == .accepted(next: UInt64(second + 1)))
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

  /// What does not fit is refused, what was accepted is a beginning without a gap, and it is in the log.
  @Test func whatWaitsIsBounded() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("fuse-intake-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var limits = SessionLimits()
    limits.waitingBatches = 2
    let registry = try SessionRegistry(folder: folder, limits: limits) { Issue.record("\($0)") }
    let session = try await registry.create(SessionSetup(body: Array(Self.header.utf8))).session
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
