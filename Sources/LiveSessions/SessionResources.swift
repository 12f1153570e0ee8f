import Foundation

/// What the sessions of a process share.
final class SessionResources: @unchecked Sendable {
  let log: WriteAheadLog
  let limits: SessionLimits
  /// Monotonic time, seconds: what decides who is idle.
  let clock: @Sendable () -> Double
  let recovery: RecoveryQueue
  /// Where batches of all sessions are ordered and logged.
  let intake: SerialThread
  /// What was published, of all sessions.
  let feed = UpdateFeed()
  /// From the arrival of what releases an update to its publication.
  let updateLatency = LatencyHistogram()
  private let folder: String
  private let lock = NSLock()
  private var roomMaker: (@Sendable (LiveSession) -> Bool)?
  private var loser: (@Sendable (LiveSession) -> Void)?
  /// What several nodes share; nil: this one is alone.
  let store: SessionStore?

  init(
    log: WriteAheadLog, limits: SessionLimits, recovery: RecoveryQueue, folder: String,
    store: SessionStore?, clock: @escaping @Sendable () -> Double
  ) throws(LogError) {
    self.store = store
    self.log = log
    self.limits = limits
    self.clock = clock
    self.recovery = recovery
    self.folder = folder
    intake = try SerialThread()
  }

  /// Who makes room for a session that comes back.
  func setRoomMaker(_ body: @escaping @Sendable (LiveSession) -> Bool) { lock.withLock { roomMaker = body } }

  /// Who lets sessions go that are another node's.
  func setLoser(_ body: @escaping @Sendable (LiveSession) -> Void) { lock.withLock { loser = body } }

  /// A session is another node's.
  func lose(_ session: LiveSession) {
    session.leave()
    lock.withLock { loser }?(session)
  }

  /// Whether a session that was parked may be open again.
  func makeRoom(for session: LiveSession) -> Bool { lock.withLock { roomMaker }?(session) ?? true }

  /// Whether the disk has more free than is kept in reserve: then a batch, and what comes of it, finds room.
  var hasDiskSpace: Bool {
    var status = statvfs()
    guard statvfs(folder, &status) == 0 else { return true }
    let unit = Int(status.f_frsize)
    return Int(status.f_bavail) * unit > min(limits.diskReserve, Int(status.f_blocks) * unit / 20)
  }
}
