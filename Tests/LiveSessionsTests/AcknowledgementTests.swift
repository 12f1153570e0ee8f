import Foundation
import LiveSessions
import Testing

/// Nothing is acknowledged before it is on disk, and nothing that is not.
@Suite struct AcknowledgementTests {
  /// A disk whose syncs wait until they are let through.
  private final class Disk: @unchecked Sendable {
    private let condition = NSCondition()
    private var isHeld = false
    private var status: Int32 = 0
    private var waits = 0

    func sync(_: Int32) -> Int32 {
      condition.lock()
      defer { condition.unlock() }
      waits += 1
      condition.broadcast()
      while isHeld { condition.wait() }
      waits -= 1
      return status
    }

    func hold() { condition.withLock { isHeld = true } }

    func release(_ status: Int32 = 0) {
      condition.withLock {
        (isHeld, self.status) = (false, status)
        condition.broadcast()
      }
    }

    /// Waits until a sync waits.
    func awaitSync() async throws -> Bool { try await AcknowledgementTests.waited { condition.withLock { waits > 0 } } }
  }

  /// Whether a condition holds within 30 s; blocks no thread of Swift's pool.
  private static func waited(_ condition: () -> Bool) async throws -> Bool {
    let end = ContinuousClock.now + .seconds(30)
    while !condition() {
      guard ContinuousClock.now < end else { return false }
      try await Task.sleep(for: .milliseconds(5))
    }
    return true
  }

  /// An answer, once it is there.
  private final class Answer<T: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: T?

    func set(_ value: T) { lock.withLock { self.value = value } }

    var now: T? { lock.withLock { value } }

    func wait() async throws -> T? {
      _ = try await AcknowledgementTests.waited { now != nil }
      return now
    }
  }

  private struct Bench: Sendable {
    let folder: LogTests.Folder
    let disk = Disk()
    let registry: SessionRegistry

    init(_ folder: LogTests.Folder? = nil, segmentSize: Int = 16 << 20) throws {
      self.folder = try folder ?? LogTests.Folder()
      registry = try SessionRegistry(
        folder: self.folder.path, limits: SessionLimits(), segmentSize: segmentSize, sync: { [disk] in disk.sync($0) }
      ) { Issue.record("\($0)") }
    }

    func create() async throws -> LiveSession {
      try await registry.begin(SessionSetup(body: Array(IntakeTests.header.utf8)))
    }

    func submit(_ session: LiveSession, _ sequence: UInt64, second: Int? = nil) throws -> Answer<LiveSession.Reply> {
      let answer = Answer<LiveSession.Reply>()
      session.submit(sequence, try IntakeTests.batch(second ?? Int(sequence))) { answer.set($0) }
      return answer
    }

    func finish(_ session: LiveSession) -> Answer<LiveSession.Reply> {
      let answer = Answer<LiveSession.Reply>()
      session.finish { answer.set($0) }
      return answer
    }
  }

  /// Long enough for whatever does not wait for the sync.
  private static func pause() async throws { try await Task.sleep(for: .milliseconds(150)) }

  @Test func everythingWaitsForTheSync() async throws {
    let bench = try Bench()
    bench.disk.hold()
    let created = Answer<String>()
    Task { created.set(try await bench.create().identity.id) }
    #expect(try await bench.disk.awaitSync())
    try await Self.pause()
    #expect(created.now == nil, "a session before its sync")
    bench.disk.release()
    let id = try #require(await created.wait())
    let session = try #require(bench.registry.session(id))

    bench.disk.hold()
    let first = try bench.submit(session, 0)
    #expect(try await bench.disk.awaitSync())
    try await Self.pause()
    let again = try bench.submit(session, 0)
    let second = try bench.submit(session, 1)
    try await Self.pause()
    #expect(first.now == nil && again.now == nil && second.now == nil, "a batch before its sync")
    bench.disk.release()
    #expect(try await first.wait() == .accepted(next: 1))
    #expect(try await second.wait() == .accepted(next: 2))
    #expect(try await again.wait() == .accepted(next: 1))

    bench.disk.hold()
    let finished = bench.finish(session)
    #expect(try await bench.disk.awaitSync())
    try await Self.pause()
    #expect(finished.now == nil, "an end before its sync")
    #expect(!FileManager.default.fileExists(atPath: session.folder + "/result.json"), "a result before its log")
    bench.disk.release()
    #expect(try await finished.wait() == .accepted(next: 2))

    bench.disk.hold()
    let deleted = Answer<Bool>()
    Task { deleted.set(try await bench.registry.delete(session)) }
    #expect(try await bench.disk.awaitSync())
    try await Self.pause()
    #expect(deleted.now == nil, "a deletion before its sync")
    bench.disk.release()
    #expect(try await deleted.wait() == true)
    bench.registry.close()
  }

  /// Also where a batch goes into a new segment.
  @Test func segmentsInBetween() async throws {
    let bench = try Bench(segmentSize: 6000)
    let session = try await bench.create()
    for sequence in 0..<6 as Range<UInt64> {
      bench.disk.hold()
      let answer = try bench.submit(session, sequence)
      #expect(try await bench.disk.awaitSync())
      try await Self.pause()
      #expect(answer.now == nil, "batch \(sequence) before its sync")
      bench.disk.release()
      #expect(try await answer.wait() == .accepted(next: sequence + 1))
    }
    bench.registry.close()
  }

  /// A sync that fails acknowledges nothing, nor does one behind it, and the log takes nothing more.
  @Test func aSyncThatFails() async throws {
    let bench = try Bench()
    let session = try await bench.create()
    #expect(try await bench.submit(session, 0).wait() == .accepted(next: 1))
    bench.disk.hold()
    let first = try bench.submit(session, 1)
    #expect(try await bench.disk.awaitSync())
    // Appended while the other one's sync is under way.
    let second = try bench.submit(session, 2)
    try await Self.pause()
    bench.disk.release(EIO)
    let refused = try #require(await first.wait())
    guard case .failed(let cause) = refused else { return #expect(refused == .failed("")) }
    #expect(cause.contains("Input/output error"))
    bench.disk.release()
    #expect(try await second.wait() == refused)
    #expect(try await bench.submit(session, 1).wait() == refused)
    #expect(try await bench.submit(session, 3).wait() == refused)
    #expect(try await bench.finish(session).wait() == refused)
    #expect(!FileManager.default.fileExists(atPath: session.folder + "/result.json"))
    await #expect(throws: SessionRegistry.Refusal.self) { _ = try await bench.create() }
    await #expect(throws: SessionRegistry.Refusal.self) { _ = try await bench.registry.delete(session) }
    #expect(bench.registry.session(session.identity.id) === session)
    bench.registry.close()
  }

  /// What the death of a process left in memory is synced before it is acknowledged as repeated.
  @Test func aStartSyncsWhatItFinds() async throws {
    let folder = try LogTests.Folder()
    let first = try Bench(folder)
    let id = try await first.create().identity.id
    #expect(try await first.submit(first.registry.session(id)!, 0).wait() == .accepted(next: 1))
    first.registry.close()
    let syncs = Answer<Bool>()
    let registry = try SessionRegistry(
      folder: folder.path, limits: SessionLimits(),
      sync: { file in
        syncs.set(true)
        return fdatasync(file)
      }
    ) { Issue.record("\($0)") }
    #expect(syncs.now == true)
    registry.close()
  }
}
