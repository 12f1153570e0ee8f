import Foundation
import LiveSessions
import Testing

extension SessionRegistry {
  /// A new session of this node.
  func begin(_ setup: SessionSetup, owner: String = SessionIdentity.defaultOwner) async throws -> LiveSession {
    let created = try await create(setup, owner: owner)
    return try #require(session(created.id))
  }
}

/// Sessions in a store that nodes share: one owner at a time, and what an older one writes is refused. Needs Debian's
/// redis-server and libhiredis; without them these say so and are left out.
@Suite(.serialized) struct SessionStoreTests {
  /// A server of its own, which ends with the test.
  fileprivate final class Server {
    private let process = Process()
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "fuse-redis-\(UUID().uuidString)")
    let port = Int.random(in: 20_000...50_000)
    static let path = "/usr/bin/redis-server"

    init() throws {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      process.executableURL = URL(fileURLWithPath: Self.path)
      process.arguments = [
        "--port", "\(port)", "--dir", folder.path, "--appendonly", "yes", "--appendfsync", "always", "--save", "",
      ]
      process.standardOutput = FileHandle.nullDevice
      try process.run()
    }

    func store(_ node: String, lease: Double = 1) throws -> SessionStore {
      for _ in 0..<100 {
        do {
          return try SessionStore(
            RedisAddress("redis://127.0.0.1:\(port)"), node: node, version: "test", lease: lease, retention: 60
          ) { Issue.record("\($0)") }
        } catch SessionStore.Failure.unreachable { usleep(50_000) }
      }
      throw CocoaError(.fileReadUnknown)
    }

    /// A command by the server's own client.
    func run(_ words: String) { _ = system("redis-cli -p \(port) \(words) > /dev/null") }

    deinit {
      kill(process.processIdentifier, SIGKILL)
      try? FileManager.default.removeItem(at: folder)
    }
  }

  private static var isThere: Bool {
    guard FileManager.default.isExecutableFile(atPath: Server.path) else { return false }
    return SessionStore.missing == nil
  }

  private static func append(
    _ store: SessionStore, _ lease: SessionStore.Lease, _ sequence: UInt64, _ text: String
  ) async -> SessionStore.Failure? {
    let record = LogRecord(kind: .batch, session: 1, sequence: sequence, arrival: 5, payload: Array(text.utf8))
    return await withCheckedContinuation { continuation in
      store.append(lease, record) { continuation.resume(returning: $0) }
    }
  }

  private static func create(_ store: SessionStore, _ id: String) async -> SessionStore.Failure? {
    let hash = TokenHash(of: "secret")
    let payload = SessionIdentity(id: id, ingest: hash, read: hash, body: Array("{}".utf8)).payload
    return await withCheckedContinuation { continuation in
      store.create(id, payload, arrival: 1) { continuation.resume(returning: $0) }
    }
  }

  @Test(.enabled(if: isThere, "needs redis-server and libhiredis-dev")) func anOlderOwnerWritesNothing() async throws {
    let server = try Server()
    // Long enough not to end by itself: the fence alone keeps them apart.
    let (first, second) = (try server.store("first", lease: 30), try server.store("second", lease: 30))
    let id = TokenHash.random(bytes: 16)
    #expect(await Self.create(first, id) == nil)
    #expect(try first.identity(id)?.id == id)
    #expect(try first.identity(TokenHash.random(bytes: 16)) == nil)
    let old = try first.acquire(id)
    #expect(await Self.append(first, old, 0, "a") == nil)
    // The lease ends in the store while its owner believes that it has it, as one that was stopped does.
    server.run("DEL 'fuse:{\(id)}:owner'")
    let new = try second.acquire(id)
    #expect(old.isHeld && new.isHeld)
    #expect(await Self.append(second, new, 1, "b") == nil)
    #expect(await Self.append(first, old, 1, "stale") == .lost)
    #expect(await Self.append(second, new, 2, "c") == nil)
    var found: [String] = []
    try second.records(new, session: 1) { found.append(String(decoding: $0.payload, as: UTF8.self)) }
    #expect(found.dropFirst() == ["a", "b", "c"])
    first.close()
    second.close()
  }

  @Test(.enabled(if: isThere, "needs redis-server and libhiredis-dev")) func aSilentNodeLosesItsSessions() async throws
  {
    let server = try Server()
    let (first, second) = (try server.store("first"), try server.store("second"))
    let id = TokenHash.random(bytes: 16)
    _ = await Self.create(first, id)
    let old = try first.acquire(id)
    // It renews: the other one waits in vain.
    #expect(throws: SessionStore.Failure.self) { try second.acquire(id) }
    first.close()
    let new = try second.acquire(id)
    #expect(new.isHeld && !old.isHeld)
    #expect(throws: SessionStore.Failure.unknown) { try second.acquire(TokenHash.random(bytes: 16)) }
    second.close()
  }

  @Test(.enabled(if: isThere, "needs redis-server and libhiredis-dev")) func aStoreThatLostSomethingIsNotGoneOnWith()
    async throws
  {
    let server = try Server()
    let store = try server.store("first", lease: 30)
    let id = TokenHash.random(bytes: 16)
    _ = await Self.create(store, id)
    let lease = try store.acquire(id)
    #expect(await Self.append(store, lease, 0, "a") == nil)
    server.run("HSET 'fuse:{\(id)}:meta' last 0-1")
    server.run("XDEL 'fuse:{\(id)}:log' 1-0")
    guard case .damaged = await Self.append(store, lease, 1, "b") else {
      Issue.record("a gap was written over")
      return
    }
    store.release(lease)
    let again = try store.acquire(id)
    #expect(throws: Never.self) { try store.records(again, session: 1) { _ in } }
    store.close()
  }

  @Test func addressesAreRead() throws {
    #expect(try RedisAddress("redis://db").name == "redis://db:6379")
    #expect(try RedisAddress("redis://u:p%40ss@db:7000/3").name == "redis://db:7000")
    #expect(try RedisAddress("redis://:p@[::1]:7000").host == "::1")
    for wrong in [
      "", "db:6379", "rediss://db", "redis://", "redis://db:0", "redis://db:x", "redis://db/x", "redis://u:%zz@db",
    ] {
      let fault = #expect(throws: RedisAddress.Fault.self) { try RedisAddress(wrong) }
      #expect(fault?.description.contains("expected redis://") == true)
    }
  }
}
