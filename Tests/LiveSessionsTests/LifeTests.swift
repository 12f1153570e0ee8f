import Datasets
import Foundation
import JSONText
import LiveSessions
import RunResults
import Testing

/// What a session holds at each time of its life, and that its bytes do not depend on it.
@Suite struct LifeTests {
  private static let header = """
    {"version":1,"trajectory":"odometry","rig":{"odometry0":{"T_BS":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]},\
    "uwb0":{"T_BS":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]}}}
    """

  /// A second of poses along a curve, and of ranges.
  private static func batch(_ second: Int, unit: Double = 1) throws -> EventBatch {
    var text = ""
    for k in 0..<20 {
      let time = second * 1_000_000_000 + k * 50_000_000
      let (x, y) = (cos(Double(time) * 1e-9 / 3), sin(Double(time) * 1e-9 / 3))
      text += "{\"pose\":{\"t\":\(time),\"p\":[\(x),\(y),0],\"q\":[1,0,0,0]}}\n"
      if k % 2 == 0 {
        text += "{\"range\":{\"t\":\(time),\"peer\":\"tag\",\"range\":\(unit * hypot(x - 4, y - 1)),\"std\":0.1}}\n"
      }
    }
    return try EventBatch(Array(text.utf8))
  }

  /// Time that passes when a test says so: who is idle does not depend on a busy machine.
  private final class TestClock: @unchecked Sendable {
    private let lock = NSLock()
    private var time = 1000.0
    func now() -> Double { lock.withLock { time } }
    func pass(_ seconds: Double) { lock.withLock { time += seconds } }
  }

  private final class House {
    let clock = TestClock()
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("fuse-life-\(UUID().uuidString)").path
    var limits = SessionLimits()
    private(set) var registry: SessionRegistry
    init(_ change: (inout SessionLimits) -> Void = { _ in }) throws {
      change(&limits)
      registry = try SessionRegistry(folder: folder, limits: limits, clock: clock.now) { Issue.record("\($0)") }
    }
    deinit {
      registry.close()
      try? FileManager.default.removeItem(atPath: folder)
    }
    func restart() throws {
      registry.close()
      registry = try SessionRegistry(folder: folder, limits: limits, clock: clock.now) { Issue.record("\($0)") }
    }
    func create() async throws -> LiveSession {
      try await registry.begin(SessionSetup(body: Array(LifeTests.header.utf8)))
    }
    /// Why no further session of an owner is created.
    func refusal(of owner: String) async -> String? {
      do {
        _ = try await registry.create(SessionSetup(body: Array(LifeTests.header.utf8)), owner: owner)
        return nil
      } catch { return "\(error)" }
    }
    /// Descriptors of this process that are files of sessions.
    var openFiles: Int { openFiles(in: "\(folder)/sessions") }
    func openFiles(in folder: String) -> Int {
      let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
      return all.count {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)"))?
          .hasPrefix(folder + "/") == true
      }
    }
  }

  private static func submit(
    _ session: LiveSession, _ sequence: UInt64, unit: Double = 1
  ) async throws -> LiveSession.Reply {
    let batch = try batch(Int(sequence), unit: unit)
    return await withCheckedContinuation { continuation in
      session.submit(sequence, batch) { continuation.resume(returning: $0) }
    }
  }

  private static func finish(_ session: LiveSession) async -> LiveSession.Reply {
    await withCheckedContinuation { continuation in session.finish { continuation.resume(returning: $0) } }
  }

  private static func result(_ session: LiveSession) async -> [UInt8]? {
    await withCheckedContinuation { continuation in session.result { continuation.resume(returning: $0) } }
  }

  private static func files(_ session: LiveSession) -> [Data?] {
    ["updates.jsonl", "trajectory.tum", "result.json"].map {
      FileManager.default.contents(atPath: "\(session.folder)/\($0)")
    }
  }

  private static func isAccepted(_ reply: LiveSession.Reply) -> Bool {
    if case .accepted = reply { true } else { false }
  }

  /// Waits for something that comes about soon.
  private static func soon(_ condition: () -> Bool) async throws -> Bool {
    for _ in 0..<6000 {
      if condition() { return true }
      try await Task.sleep(for: .milliseconds(20))
    }
    return false
  }

  /// A session that rests and parks at every turn gives the bytes of one that does not.
  @Test func parkingChangesNoByte() async throws {
    var found: [[Data?]] = []
    for isDisturbed in [false, true] {
      let house = try House { if isDisturbed { ($0.idle, $0.park) = (0, 0) } }
      let session = try await house.create()
      for second in 0..<24 {
        #expect(Self.isAccepted(try await Self.submit(session, UInt64(second))))
        guard isDisturbed, second % 4 == 3 else { continue }
        if second % 8 == 3 { _ = await Self.result(session) }
        house.clock.pass(1)
        let isParked = try await Self.soon {
          house.registry.tend()
          let facts = session.facts
          return !facts.hasThread && !facts.hasFinder && !facts.isBusy
        }
        #expect(isParked && house.openFiles == 0 && !session.facts.isOpen)
        if second == 15 { #expect(session.updates.state.count > 100) }
      }
      #expect(Self.isAccepted(await Self.finish(session)))
      found.append(Self.files(session))
    }
    #expect(!found[0].contains(nil) && found[0] == found[1] && found[0][0]!.count > 10_000)
  }

  /// Ranges in millimetres are known as such while they come, in the result, and after a restart; a healthy session's
  /// verdict says so, and nothing of what is still to come.
  @Test func theVerdictIsKnownWhileItRuns() async throws {
    let house = try House()
    let (wrong, right) = (try await house.create(), try await house.create())
    #expect(wrong.verdict == nil)
    for second in 0..<4 {
      #expect(Self.isAccepted(try await Self.submit(wrong, UInt64(second), unit: 1000)))
      #expect(Self.isAccepted(try await Self.submit(right, UInt64(second))))
    }
    #expect(try await Self.soon { wrong.verdict?.state == .broken && right.verdict?.state == .healthy })
    #expect(wrong.verdict?.cause?.code == "rangeUnit" && wrong.verdict?.cause?.peer == "tag")
    #expect(Self.isAccepted(await Self.finish(wrong)))
    let document = try #require(await Self.result(wrong).flatMap { JSONValue(parsing: $0) })
    #expect(RunVerdict(document["verdict"]) == wrong.verdict)
    let (id, verdict) = (wrong.identity.id, wrong.verdict)
    try house.restart()
    let again = try #require(house.registry.session(id))
    #expect(again.currentStatus.state == .finished && again.verdict == verdict)
  }

  /// What is over holds no thread, no finder and no file, and is read again.
  @Test func whatIsOverHoldsNothing() async throws {
    let house = try House()
    var sessions: [LiveSession] = []
    for _ in 0..<20 {
      let session = try await house.create()
      #expect(!session.facts.hasThread && house.openFiles(in: session.folder) == 0)
      for second in 0..<3 { #expect(Self.isAccepted(try await Self.submit(session, UInt64(second)))) }
      #expect(Self.isAccepted(await Self.finish(session)))
      sessions.append(session)
    }
    #expect(
      try await Self.soon { house.openFiles == 0 && !sessions.contains { $0.facts.hasThread || $0.facts.hasFinder } })
    let (_, reader) = try sessions[7].updates.changes()
    #expect(house.openFiles == 1)
    var position = try sessions[7].updates.position(of: 3)
    let lines = try sessions[7].updates.read(&position, bytes: 1000)
    #expect(!lines.isEmpty)
    sessions[7].updates.leave(reader)
    #expect(house.openFiles == 0)
    #expect(await Self.result(sessions[3]) != nil)
    #expect(Self.isAccepted(await Self.finish(sessions[3])))
  }

  /// Creations without data lock out nobody: the least recent makes room, one with data is parked and comes back.
  @Test func abandonedSessionsMakeRoom() async throws {
    let house = try House { $0.sessions = 4 }
    let worker = try await house.create()
    #expect(Self.isAccepted(try await Self.submit(worker, 0)))
    #expect(try await Self.soon { !worker.facts.isBusy })
    var abandoned: [String] = []
    for _ in 0..<20 {
      house.clock.pass(house.limits.idle + 1)
      abandoned.append(try await house.create().identity.id)
    }
    #expect(house.registry.counts.open <= 4)
    // The session with data is parked, not gone.
    #expect(house.registry.session(worker.identity.id) != nil && !worker.facts.isOpen)
    #expect(house.registry.session(abandoned[0]) == nil && house.registry.session(abandoned[19]) != nil)
    house.clock.pass(house.limits.idle + 1)
    #expect(try await Self.submit(worker, 1) == .accepted(next: 2))
    #expect(worker.facts.isOpen && house.registry.counts.open <= 4)
  }

  /// Where all are at work there is no room, and that is said; a parked one that comes back waits, too.
  @Test func noRoomIsSaid() async throws {
    let house = try House { $0.sessions = 2 }
    let first = try await house.create()
    #expect(Self.isAccepted(try await Self.submit(first, 0)))
    #expect(try await Self.soon { !first.facts.isBusy })
    house.clock.pass(house.limits.idle + 1)
    let others = [try await house.create(), try await house.create()]
    #expect(!first.facts.isOpen)
    for session in others { #expect(Self.isAccepted(try await Self.submit(session, 0))) }
    #expect(await house.refusal(of: SessionIdentity.defaultOwner) == "tooMany(2)")
    #expect(try await Self.submit(first, 1) == .crowded(2))
    #expect(house.registry.causes.contains { $0.hasPrefix("sessions: 2 are open") })
    #expect(try await Self.soon { others.allSatisfy { !$0.facts.isBusy } })
    house.clock.pass(house.limits.idle + 1)
    #expect(house.registry.causes.isEmpty)
    #expect(try await Self.submit(first, 1) == .accepted(next: 2))
  }

  @Test func sessionsWithoutDataEnd() async throws {
    let house = try House()
    let (empty, used) = (try await house.create(), try await house.create())
    #expect(Self.isAccepted(try await Self.submit(used, 0)))
    house.clock.pass(house.limits.empty + 1)
    house.registry.tend()
    #expect(house.registry.session(empty.identity.id) == nil && house.registry.session(used.identity.id) != nil)
    #expect(try await Self.submit(empty, 0) == .gone)
    #expect(try await Self.soon { !FileManager.default.fileExists(atPath: empty.folder) })
  }

  /// After a restart abandoned sessions are computed once, and then hold nothing; those that go on do.
  @Test func abandonedSessionsAfterARestart() async throws {
    let house = try House()
    var sessions: [LiveSession] = []
    for _ in 0..<12 {
      let session = try await house.create()
      for second in 0..<3 { #expect(Self.isAccepted(try await Self.submit(session, UInt64(second)))) }
      sessions.append(session)
    }
    // An acknowledgement does not wait for the finder.
    #expect(try await Self.soon { !sessions[0].facts.isBusy })
    let bytes = Self.files(sessions[0])[0]
    try house.restart()
    #expect(
      try await Self.soon { house.registry.all.allSatisfy { $0.currentStatus.state == .active && !$0.facts.hasThread } }
    )
    #expect(house.registry.counts == (0, 12, 0) && house.openFiles == 0)
    let back = try #require(house.registry.session(sessions[0].identity.id))
    #expect(Self.files(back)[0] == bytes && bytes != nil)
    #expect(try await Self.submit(back, 3) == .accepted(next: 4))
    #expect(try await Self.soon { house.registry.counts.open == 1 && back.currentStatus.state == .active })
  }

  /// Stamps far apart make no more updates than the finder's silence allows: 46 MB of one batch of 2 kB before.
  @Test func stampsFarApartAreBounded() async throws {
    let house = try House()
    let session = try await house.create()
    var text = ""
    for k in 0..<40 {
      let time = k * 700_000_000_000
      text += "{\"pose\":{\"t\":\(time),\"p\":[0,0,0],\"q\":[1,0,0,0]}}\n"
      text += "{\"range\":{\"t\":\(time),\"peer\":\"a\",\"range\":1,\"std\":0.1}}\n"
    }
    let batch = try EventBatch(Array(text.utf8))
    let reply = await withCheckedContinuation { continuation in
      session.submit(0, batch) { continuation.resume(returning: $0) }
    }
    #expect(Self.isAccepted(reply))
    #expect(Self.isAccepted(await Self.finish(session)))
    #expect(session.updates.state.count < 26_000 && session.updates.size < 40_000_000)
  }

  @Test func limitsOfATokensSessionsTogether() async throws {
    let house = try House()
    var quota = Account.Quota()
    (quota.sessions, quota.bytes) = (2, 1500)
    house.registry.account("phones").change(quota)
    let setup = try SessionSetup(body: Array(Self.header.utf8))
    let first = try await house.registry.begin(setup, owner: "phones")
    _ = try await house.registry.create(setup, owner: "phones")
    #expect(await house.refusal(of: "phones") == "quota(2)")
    // Another token's, and nobody's.
    _ = try await house.registry.create(setup, owner: "lab")
    _ = try await house.create()
    // A batch of 2 kB: the next one is too many.
    #expect(Self.isAccepted(try await Self.submit(first, 0)))
    #expect(try await Self.submit(first, 1) == .tooManyBytes(1500))
    // The owner's name is in the log.
    let id = first.identity.id
    try house.restart()
    #expect(house.registry.session(id)?.identity.owner == "phones")
    #expect(try await Self.soon { house.registry.account("phones").bytes > 1500 })
    let again = try #require(house.registry.session(id))
    #expect(try await house.registry.delete(again))
    #expect(house.registry.account("phones").bytes < 1500)
  }
}
