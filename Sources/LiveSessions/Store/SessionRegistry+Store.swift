import Foundation

/// Sessions of a store that several nodes share: found there, computed from its log, let go for another node.
extension SessionRegistry {
  /// The session of an id that somebody may use; nil where there is none, or he may not. With a store this node becomes
  /// its owner first, which waits for the node that has it.
  ///
  /// - Parameter waits: whether a node that has it is to let it go; otherwise that is `Refusal.elsewhere`.
  /// - Throws: `Refusal` where it cannot be had now.
  package func find(
    _ id: String, waits: Bool = true, permits: @escaping @Sendable (SessionIdentity) -> Bool
  ) async throws(Refusal) -> LiveSession? {
    if let session = session(id), !session.hasMoved { return permits(session.identity) ? session : nil }
    guard let store = shared.store else { return nil }
    // One thread waits for the store and the other node: requests are served by others.
    let found: Result<LiveSession?, Refusal> = await withCheckedContinuation { continuation in
      do throws(LogError) {
        try OwnThread.start { [self] in
          continuation.resume(returning: Result { () throws(Refusal) in try adopt(id, store, waits, permits) })
        }
      } catch { continuation.resume(returning: .failure(.noThread("\(error)"))) }
    }
    let session = try found.get()
    session?.touch()
    return session
  }

  /// Owns a session from now on; one thread at a time for each id.
  private func adopt(
    _ id: String, _ store: SessionStore, _ waits: Bool, _ permits: (SessionIdentity) -> Bool
  ) throws(Refusal) -> LiveSession? {
    adopting.enter(id)
    defer { adopting.leave(id) }
    if let session = session(id), !session.hasMoved { return permits(session.identity) ? session : nil }
    do {
      guard let identity = try store.identity(id), permits(identity) else { return nil }
      let account = account(identity.owner)
      try reserve(for: account)
      defer { roomLock.withLock { reserved -= 1 } }
      return try take(identity, try store.acquire(id, waits: waits), account, store)
    } catch let refusal as Refusal { throw refusal } catch SessionStore.Failure.unknown { return nil } catch let failure
      as SessionStore.Failure
    {
      if !waits, case .held = failure { throw .elsewhere }
      if case .damaged(let words) = failure { throw .failed("the session failed: \(words)") }
      throw .unreachable(failure.words)
    } catch { throw .failed("\(error)") }
  }

  /// The records of the store become those of this node's log, from which everything else works.
  private func take(
    _ identity: SessionIdentity, _ lease: SessionStore.Lease, _ account: Account, _ store: SessionStore
  ) throws -> LiveSession {
    if let before = session(identity.id) { drop(before) }
    let number = newNumber()
    var index = LogIndex()
    do {
      try store.records(lease, session: number) { record in
        let ticket = try log.append(record, copies: record.kind == .create ? 2 : 1)
        note(number, ticket.place.segment)
        index.add(.record(record, ticket.place))
      }
      index.finish()
      guard let found = index.sessions[number] else {
        throw SessionStore.Failure.damaged("its log has no beginning")
      }
      let session = try LiveSession(
        identity: identity, number: number, created: found.created, folder: folder(of: identity.id, number),
        account: account, shared: shared, lease: lease, found: found)
      add(session)
      try? session.begin()
      return session
    } catch {
      store.release(lease)
      shared.intake.async { [self] in
        append(LogRecord(kind: .delete, session: number, arrival: LiveSession.now())) { _ in }
        forget(number: number)
      }
      throw error
    }
  }

  /// Whether this node shares its sessions with no other.
  package var isAlone: Bool { shared.store == nil }

  func observeStore() {
    guard let store = shared.store else { return }
    shared.setLoser { [weak self] session in self?.drop(session) }
    store.observe(
      lost: { [weak self] id in
        guard let self, let session = held(id) else { return }
        session.leave()
        drop(session)
      },
      wanted: { [weak self] id in
        guard let self, let session = held(id) else { return }
        letGo(session)
      })
  }

  /// Another node may have the session, once all that was taken is in the store.
  func letGo(_ session: LiveSession) {
    guard let store = shared.store, let lease = session.lease, !session.hasMoved else { return }
    session.leave()
    store.settled(lease) { [self] _ in
      store.release(lease)
      drop(session)
    }
  }
}

/// The folder of a process that shares a store: what is in it comes from the store again, and goes with the process.
package enum NodeFolder {
  /// Makes one within a data folder, and removes those of processes that are gone.
  package static func make(in data: String) throws -> String {
    let all = "\(data)/nodes"
    let files = FileManager.default
    try files.createDirectory(atPath: all, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    for name in try files.contentsOfDirectory(atPath: all) {
      // Its log is locked while its process lives; one that has no log yet is about to have it.
      guard let lock = try? LogFolder.lock("\(all)/\(name)/log", LOCK_EX) else { continue }
      try? files.removeItem(atPath: "\(all)/\(name)")
      Glibc.close(lock)
    }
    return "\(all)/\(TokenHash.random(bytes: 8))"
  }
}

/// One at a time for each name.
final class Turns: @unchecked Sendable {
  private let condition = NSCondition()
  private var taken: Set<String> = []

  func enter(_ name: String) {
    condition.lock()
    while taken.contains(name) { condition.wait() }
    taken.insert(name)
    condition.unlock()
  }

  func leave(_ name: String) {
    condition.lock()
    taken.remove(name)
    condition.broadcast()
    condition.unlock()
  }
}

extension SessionStore.Failure {
  /// In words.
  package var words: String {
    switch self {
    case .lost: "another node has the session"
    case .unreachable(let words), .held(let words), .damaged(let words): words
    case .unknown: "there is no such session"
    }
  }
}
