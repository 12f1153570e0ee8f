import Datasets
import Foundation
import RunResults

/// All sessions of a process, found by id, with the log that they share.
package final class SessionRegistry: @unchecked Sendable {
  /// Why a session cannot be created.
  package enum Refusal: Error, Sendable {
    /// As many as permitted are open, and none of them is suspended.
    case tooMany(Int)
    /// As many as permitted are kept, in any state.
    case tooManyKept(Int)
    /// As many as the token may have are open.
    case quota(Int)
    /// As many bytes as the token may have are kept.
    case bytes(Int)
    /// The system gives no thread; in words.
    case noThread(String)
    /// The process has no descriptor left.
    case noDescriptor
    /// No space is left on the disk.
    case full
    /// The store of several nodes cannot be reached; in words.
    case unreachable(String)
    /// Another node has the session, and need not let it go.
    case elsewhere
    /// Something else.
    case failed(String)
  }

  /// A new session with its secrets, which only its creator gets.
  package struct Created: Sendable {
    /// The session's id.
    package var id: String
    /// May send.
    package var ingestToken: String
    /// May read.
    package var readToken: String
  }

  /// Limits.
  package let limits: SessionLimits
  /// The log.
  package let log: WriteAheadLog
  private let folder: String
  let shared: SessionResources
  private let keeper: SerialThread
  let adopting = Turns()
  private var isCompacting = false
  private let accounts = Accounts()
  private let lock = NSLock()
  /// One decides at a time who makes room for whom.
  let roomLock = NSLock()
  var reserved = 0
  private var sessions: [String: LiveSession] = [:]
  private var numbers: [UInt64: LiveSession] = [:]
  private var nextNumber: UInt64
  /// Segments of the log with records that are no batches, by session.
  private var segments: [UInt64: Set<Int>] = [:]
  private var deleted: (sessions: Set<UInt64>, segments: Set<Int>) = ([], [])
  /// Sessions created since the start, for the metrics.
  package private(set) var createdCount = 0

  /// Opens a data folder, creating it private where it is missing, and begins to recover its sessions.
  ///
  /// - Parameters:
  ///   - sync: writes a file of the log to disk; 0, or `errno`.
  ///   - clock: monotonic time, seconds.
  ///   - warn: gets a line for everything that is not as it should be.
  package init(
    folder: String, limits: SessionLimits, store: SessionStore? = nil, segmentSize: Int = 16 << 20,
    sync: @escaping @Sendable (Int32) -> Int32 = { fdatasync($0) == 0 ? 0 : errno },
    clock: @escaping @Sendable () -> Double = { Double(DispatchTime.now().uptimeNanoseconds) * 1e-9 },
    warn: (String) -> Void
  ) throws {
    self.folder = folder
    self.limits = limits
    for path in [folder, "\(folder)/log", "\(folder)/sessions"] where !FileManager.default.fileExists(atPath: path) {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
    var index = LogIndex()
    log = try WriteAheadLog(
      folder: "\(folder)/log", version: FuseVersion.current, segmentSize: segmentSize, sync: sync
    ) { index.add($0) }
    index.finish()
    for line in index.lines(name: { "\($0.prefix(6))..." }) + index.orphanLines { warn("log: \(line)") }
    keeper = try SerialThread()
    shared = try SessionResources(
      log: log, limits: limits, recovery: RecoveryQueue(limit: ProcessInfo.processInfo.activeProcessorCount),
      folder: folder, store: store, clock: clock)
    nextNumber = index.last + 1
    segments = index.touched
    deleted = (index.gone, index.gone.reduce(into: []) { $0.formUnion(index.touched[$1] ?? []) })
    for (number, found) in index.sessions.sorted(by: { $0.key < $1.key }) {
      let name = "session \(found.identity.id.prefix(6))..."
      if let failure = found.failure { warn("\(name): \(failure)") }
      if let warning = found.warning { warn("\(name): \(warning)") }
      do {
        sessions[found.identity.id] = try LiveSession(
          identity: found.identity, number: number, created: found.created,
          folder: "\(folder)/sessions/\(found.identity.id)", account: accounts.account(found.identity.owner),
          shared: shared, found: found)
      } catch { warn("\(name): cannot be recovered: \(error)") }
    }
    numbers = Dictionary(uniqueKeysWithValues: sessions.values.map { ($0.number, $0) })
    shared.setRoomMaker { [weak self] session in self?.makeRoom(for: session) ?? true }
    observeStore()
    for session in all { try? session.begin() }
    let known = Set(index.sessions.values.map(\.identity.id))
    for name in (try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/sessions")) ?? []
    where SessionIdentity.isID(name) && !known.contains(name) {
      if index.goneIDs.contains(name) {
        try? FileManager.default.removeItem(atPath: "\(folder)/sessions/\(name)")
      } else {
        // Its beginning may be what is damaged.
        warn("sessions/\(name.prefix(6))...: a folder of no session in the log: kept; remove it if it is not wanted")
      }
    }
  }

  /// The session of an id; its recovery comes first from now on.
  package func session(_ id: String) -> LiveSession? {
    let session = lock.withLock { sessions[id] }
    session?.touch()
    return session
  }

  /// The same, without asking for it.
  func held(_ id: String) -> LiveSession? { lock.withLock { sessions[id] } }

  /// A session of the store is this node's.
  func add(_ session: LiveSession) {
    lock.withLock {
      sessions[session.identity.id] = session
      numbers[session.number] = session
    }
  }

  /// The next session's number.
  func newNumber() -> UInt64 {
    lock.withLock {
      nextNumber += 1
      return nextNumber - 1
    }
  }

  /// A segment of the log has records of a session.
  func note(_ number: UInt64, _ segment: Int) { lock.withLock { _ = segments[number, default: []].insert(segment) } }

  /// The folder of a session's files. One that goes and comes back has another: the old one may still be at its end.
  func folder(of id: String, _ number: UInt64) -> String {
    shared.store == nil ? "\(folder)/sessions/\(id)" : "\(folder)/sessions/\(id)-\(number)"
  }

  /// All sessions, by id.
  package var all: [LiveSession] { some.sorted { $0.identity.id < $1.identity.id } }

  /// All sessions, in any order.
  var some: [LiveSession] { lock.withLock { Array(sessions.values) } }

  /// The session of a number.
  package func session(number: UInt64) -> LiveSession? { lock.withLock { numbers[number] } }

  /// What was published, of all sessions.
  package var feed: UpdateFeed { shared.feed }

  /// From the arrival of what releases an update to its publication.
  package var updateLatency: LatencyHistogram { shared.updateLatency }

  /// The account of a name, made where there is none.
  package func account(_ name: String) -> Account { accounts.account(name) }

  // MARK: creation and deletion

  /// Creates a session for an account; returns once it is on disk.
  package func create(
    _ setup: SessionSetup, owner: String = SessionIdentity.defaultOwner
  ) async throws(Refusal) -> Created {
    let account = accounts.account(owner)
    try reserve(for: account)
    defer { roomLock.withLock { reserved -= 1 } }
    let (ingest, read) = (TokenHash.newToken(), TokenHash.newToken())
    let identity = SessionIdentity(
      id: TokenHash.random(bytes: 16), ingest: TokenHash(of: ingest), read: TokenHash(of: read), owner: owner,
      body: setup.body)
    if let store = shared.store {
      // Nobody's until its first call, which may reach another node.
      let failure = await withCheckedContinuation { continuation in
        store.create(identity.id, identity.payload, arrival: LiveSession.now()) { continuation.resume(returning: $0) }
      }
      if let failure { throw .unreachable(failure.words) }
      lock.withLock { createdCount += 1 }
      return Created(id: identity.id, ingestToken: ingest, readToken: read)
    }
    let number = newNumber()
    let created = LiveSession.now()
    // Twice: without its beginning a session is lost as a whole.
    let failure = await logged(
      LogRecord(kind: .create, session: number, arrival: created, payload: identity.payload), copies: 2)
    switch failure {
    case nil: break
    case .full?: throw .full
    case let other?: throw .failed("\(other)")
    }
    do {
      let session = try LiveSession(
        identity: identity, number: number, created: created, folder: folder(of: identity.id, number),
        account: account, shared: shared)
      add(session)
      lock.withLock { createdCount += 1 }
      return Created(id: identity.id, ingestToken: ingest, readToken: read)
    } catch {
      // Nobody knows it: it is not to come back with the next start.
      _ = await logged(LogRecord(kind: .delete, session: number, arrival: LiveSession.now()))
      forget(number: number)
      throw .failed("\(error)")
    }
  }

  /// The records of a session go with the next `compact`.
  func forget(number: UInt64) {
    lock.withLock {
      deleted.sessions.insert(number)
      deleted.segments.formUnion(segments.removeValue(forKey: number) ?? [])
    }
  }

  /// Appends a record and waits until it is on disk; nil, or what went wrong.
  private func logged(_ record: LogRecord, copies: Int = 1) async -> LogError? {
    await withCheckedContinuation { continuation in
      shared.intake.async { [self] in append(record, copies: copies) { continuation.resume(returning: $0) } }
    }
  }

  /// Appends a record; `done` is called once it is on disk, or with what went wrong. Called on the intake.
  func append(_ record: LogRecord, copies: Int = 1, done: @escaping @Sendable (LogError?) -> Void) {
    do throws(LogError) {
      let ticket = try log.append(record, copies: copies)
      if record.kind != .delete {
        lock.withLock { _ = segments[record.session, default: []].insert(ticket.place.segment) }
      }
      log.whenSynced(ticket, done)
    } catch { done(error) }
  }

  /// Ends a session and removes its data: its folder at once, its records with the next `compact`. Returns once that is
  /// on disk.
  ///
  /// - Returns: false where it is gone already.
  /// - Throws: `Refusal` where the log does not take it: the session stays.
  package func delete(_ session: LiveSession) async throws(Refusal) -> Bool {
    guard lock.withLock({ sessions[session.identity.id] === session }) else { return false }
    if let store = shared.store, let lease = session.lease {
      let failure = await withCheckedContinuation { continuation in
        store.delete(lease) { continuation.resume(returning: $0) }
      }
      if let failure { throw .unreachable(failure.words) }
    }
    switch await logged(LogRecord(kind: .delete, session: session.number, arrival: LiveSession.now())) {
    case nil: break
    case .full?: throw .full
    case let other?: throw .failed("\(other)")
    }
    guard forget(session) else { return false }
    clear(session)
    return true
  }

  /// Ends a session at once, for which nobody waits; where the log does not take that, it comes back with the next start.
  func end(_ session: LiveSession) {
    guard forget(session) else { return }
    shared.intake.async { [self] in
      append(LogRecord(kind: .delete, session: session.number, arrival: LiveSession.now())) { _ in }
      clear(session)
    }
  }

  /// A session is another node's: what of it is here goes; the store keeps it.
  func drop(_ session: LiveSession) { end(session) }

  private func forget(_ session: LiveSession) -> Bool {
    let isMine = lock.withLock {
      guard sessions[session.identity.id] === session else { return false }
      sessions[session.identity.id] = nil
      numbers[session.number] = nil
      return true
    }
    if isMine { session.stop(gone: true) }
    return isMine
  }

  private func clear(_ session: LiveSession) {
    let segments = session.segments
    try? FileManager.default.removeItem(atPath: session.folder)
    lock.withLock {
      deleted.sessions.insert(session.number)
      deleted.segments.formUnion(segments.union(self.segments.removeValue(forKey: session.number) ?? []))
    }
  }

  /// Compacts the log on a thread of its own, unless it is at it.
  package func compactLater(_ failed: @escaping @Sendable (any Error) -> Void) {
    let isDue = lock.withLock {
      defer { isCompacting = true }
      return !isCompacting
    }
    guard isDue else { return }
    keeper.async { [self] in
      do { try compact() } catch { failed(error) }
      lock.withLock { isCompacting = false }
    }
  }

  /// Removes the records of deleted sessions from the log. Called on a thread of its own.
  package func compact() throws {
    let due = lock.withLock {
      defer { deleted = ([], []) }
      return deleted
    }
    guard !due.segments.isEmpty else { return }
    var isDone = false
    defer {
      if !isDone {
        lock.withLock {
          deleted.sessions.formUnion(due.sessions)
          deleted.segments.formUnion(due.segments)
        }
      }
    }
    // The log forgets a session only behind its folder.
    try syncFolder()
    isDone = try log.remove(sessions: due.sessions, from: due.segments) { segment, moved in
      // The sessions of this moment: one created meanwhile has records, too.
      for session in some { session.relocate(segment, moved) }
    }
  }

  private func syncFolder() throws(LogError) {
    let path = "\(folder)/sessions"
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SegmentFile.error(path) }
    defer { Glibc.close(descriptor) }
    guard fsync(descriptor) == 0 else { throw SegmentFile.error(path) }
  }

  /// Writes the recording of a session; blocks. Returns the path of a file that the caller removes.
  package func recording(of session: LiveSession) throws -> String {
    let scratch = "\(session.folder)/recording-\(TokenHash.random(bytes: 8))"
    try FileManager.default.createDirectory(
      atPath: scratch, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    do {
      let archive = RecordingArchive(
        session.setup, name: session.identity.id, folder: scratch,
        records: { [log] body in
          try log.read({ session.batchPlaces }, body)
        })
      return try archive.write()
    } catch {
      try? FileManager.default.removeItem(atPath: scratch)
      throw error
    }
  }

  /// Ends all sessions after what they accepted, and the log.
  package func close() {
    let sessions = all
    for session in sessions { session.stop(gone: false) }
    for session in sessions { session.join() }
    for session in sessions { if let lease = session.lease { shared.store?.release(lease) } }
    shared.store?.close()
    log.close()
  }
}
