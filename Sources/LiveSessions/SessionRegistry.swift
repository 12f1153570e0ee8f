import Datasets
import EventLines
import Foundation
import RunResults
import SensorData

/// All sessions of a process, found by id, with the log that they share.
package final class SessionRegistry: @unchecked Sendable {
  /// Why a session cannot be created.
  package enum Refusal: Error, Sendable {
    /// As many as permitted are open.
    case tooMany(Int)
    /// No space is left on the disk.
    case full
    /// Something else.
    case failed(String)
  }

  /// A new session with its secrets, which only its creator gets.
  package struct Created: Sendable {
    /// The session.
    package var session: LiveSession
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
  private let recovery = RecoveryQueue(limit: ProcessInfo.processInfo.activeProcessorCount)
  private let lock = NSLock()
  private var sessions: [String: LiveSession] = [:]
  private var nextNumber: UInt64
  /// Segments of the log with records that are no batches, by session.
  private var segments: [UInt64: Set<Int>] = [:]
  private var deleted: (sessions: Set<UInt64>, segments: Set<Int>) = ([], [])
  /// Sessions created since the start, for the metrics.
  package private(set) var createdCount = 0

  /// Opens a data folder, creating it private where it is missing, and begins to recover its sessions.
  package init(folder: String, limits: SessionLimits, warn: (String) -> Void) throws {
    self.folder = folder
    self.limits = limits
    for path in [folder, "\(folder)/log", "\(folder)/sessions"] where !FileManager.default.fileExists(atPath: path) {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
    struct Found {
      var identity: SessionIdentity
      var created: Int64
      var places: [WriteAheadLog.Place] = []
      var isFinished = false
    }
    var found: [UInt64: Found] = [:]
    var gone: Set<UInt64> = []
    var touched: [UInt64: Set<Int>] = [:]
    var last: UInt64 = 0
    log = try WriteAheadLog(folder: "\(folder)/log", version: FuseVersion.current) { record, place in
      last = max(last, record.session)
      touched[record.session, default: []].insert(place.segment)
      switch record.kind {
      case .create:
        guard let identity = SessionIdentity(payload: record.payload) else { return }
        found[record.session] = Found(identity: identity, created: record.arrival)
      case .batch:
        guard let count = found[record.session]?.places.count, record.sequence == UInt64(count) else { return }
        found[record.session]!.places.append(place)
      case .finish: found[record.session]?.isFinished = true
      case .delete:
        found[record.session] = nil
        gone.insert(record.session)
      }
    }
    nextNumber = last + 1
    segments = touched
    deleted = (gone, gone.reduce(into: []) { $0.formUnion(touched[$1] ?? []) })
    for (number, session) in found.sorted(by: { $0.key < $1.key }) {
      do {
        sessions[session.identity.id] = try LiveSession(
          identity: session.identity, number: number, created: session.created,
          folder: "\(folder)/sessions/\(session.identity.id)", log: log, limits: limits, places: session.places,
          isFinished: session.isFinished, recovery: recovery)
      } catch { warn("session \(session.identity.id.prefix(6))...: cannot be recovered: \(error)") }
    }
    // Folders of sessions that the log does not know: deleted, or never acknowledged.
    for name in (try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/sessions")) ?? []
    where SessionIdentity.isID(name) && sessions[name] == nil {
      try? FileManager.default.removeItem(atPath: "\(folder)/sessions/\(name)")
    }
  }

  /// The session of an id; its recovery comes first from now on.
  package func session(_ id: String) -> LiveSession? {
    guard let session = lock.withLock({ sessions[id] }) else { return nil }
    recovery.hurry(session.number)
    return session
  }

  /// All sessions, by id.
  package var all: [LiveSession] { lock.withLock { sessions.values.sorted { $0.identity.id < $1.identity.id } } }

  /// Creates a session; returns once it is on disk.
  package func create(_ setup: SessionSetup) async throws(Refusal) -> Created {
    let open = all.filter { $0.currentStatus.state != .finished }.count
    guard open < limits.sessions else { throw .tooMany(limits.sessions) }
    let (ingest, read) = (TokenHash.newToken(), TokenHash.newToken())
    let identity = SessionIdentity(
      id: TokenHash.random(bytes: 16), ingest: TokenHash(of: ingest), read: TokenHash(of: read), body: setup.body)
    let number = lock.withLock {
      nextNumber += 1
      return nextNumber - 1
    }
    let created = LiveSession.now()
    let failure: LogError? = await withCheckedContinuation { continuation in
      do throws(LogError) {
        let place = try log.append(
          LogRecord(kind: .create, session: number, arrival: created, payload: identity.payload)
        ) { continuation.resume(returning: $0) }
        lock.withLock { segments[number] = [place.segment] }
      } catch { continuation.resume(returning: error) }
    }
    switch failure {
    case nil: break
    case .full?: throw .full
    case let other?: throw .failed("\(other)")
    }
    do {
      let session = try LiveSession(
        identity: identity, number: number, created: created, folder: "\(folder)/sessions/\(identity.id)", log: log,
        limits: limits, recovery: recovery)
      lock.withLock {
        sessions[identity.id] = session
        createdCount += 1
      }
      return Created(session: session, ingestToken: ingest, readToken: read)
    } catch { throw .failed("\(error)") }
  }

  /// Ends a session and removes its data: its folder at once, its records with the next `compact`.
  package func delete(_ session: LiveSession) async -> Bool {
    let isMine = lock.withLock { sessions.removeValue(forKey: session.identity.id) } != nil
    guard isMine else { return false }
    session.stop(gone: true)
    let segments = session.segments
    let failure: LogError? = await withCheckedContinuation { continuation in
      do throws(LogError) {
        try log.append(LogRecord(kind: .delete, session: session.number, arrival: LiveSession.now())) {
          continuation.resume(returning: $0)
        }
      } catch { continuation.resume(returning: error) }
    }
    try? FileManager.default.removeItem(atPath: session.folder)
    lock.withLock {
      deleted.sessions.insert(session.number)
      deleted.segments.formUnion(segments.union(self.segments.removeValue(forKey: session.number) ?? []))
    }
    return failure == nil
  }

  /// Removes the records of deleted sessions from the log; blocks appending for as long as it rewrites. Called on a thread
  /// of its own.
  package func compact() throws {
    let due = lock.withLock {
      defer { deleted = ([], []) }
      return deleted
    }
    let sessions = all
    guard !due.segments.isEmpty else { return }
    // A recovering session reads places that must stay.
    if sessions.contains(where: { $0.currentStatus.state == .recovering }) {
      return lock.withLock {
        deleted.sessions.formUnion(due.sessions)
        deleted.segments.formUnion(due.segments)
      }
    }
    try log.remove(sessions: due.sessions, from: due.segments) { moved in
      for session in sessions { session.relocate(moved) }
    }
  }

  /// Deletes sessions without a call for longer than the retention.
  package func expire() async {
    guard let retention = limits.retention else { return }
    for session in all where session.idleTime > retention { _ = await delete(session) }
  }

  /// Writes the recording of a session; blocks. Returns the path of a file that the caller removes.
  package func recording(of session: LiveSession) throws -> String {
    let scratch = "\(session.folder)/recording-\(TokenHash.random(bytes: 8))"
    try FileManager.default.createDirectory(
      atPath: scratch, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    do {
      let places = session.batchPlaces
      let archive = RecordingArchive(session.setup, name: session.identity.id, folder: scratch) { [log] body in
        var admission = EventAdmission(
          rig: session.setup.header.rig, usesOdometry: session.setup.header.trajectory == .odometry)
        try log.read(places) { record in
          for parsed in try EventBatch(accepted: record.payload).events {
            if let event = admission.admit(parsed) { try body(event) }
          }
          return true
        }
      }
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
    log.close()
  }
}
