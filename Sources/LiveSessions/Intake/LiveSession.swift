import Datasets
import Dispatch
import EventLines
import Foundation
import JSONText
import RunResults

/// One session: what comes is ordered and logged at once, and processed in order on a thread of its own.
///
/// A search begun in motion takes a tenth of a second and more: on a thread it holds up nobody else, and as the log comes
/// first no acknowledgement waits for it. The thread is there while there is something to do, the finder until nothing
/// came for long, and both come back with the next batch, the finder from the log: a session that is over, or at which
/// nobody is, holds no thread, no descriptor and no memory of size.
package final class LiveSession: @unchecked Sendable {
  /// What became of a batch or a call.
  package enum Reply: Equatable, Sendable {
    /// Done; the next batch's number, and what of it the finder will not use, by reason.
    case accepted(next: UInt64, skipped: [String: Int] = [:])
    /// A batch with this number was taken with other content; sizes in bytes, and the next batch's number.
    case different(UInt64, taken: Int, found: Int, next: UInt64)
    /// Too early; the next batch's number.
    case early(next: UInt64)
    /// The results are final: nothing more is taken.
    case finished
    /// More peers than permitted.
    case tooManyPeers(Int)
    /// More bytes than a session, or its token's sessions together, may have.
    case tooManyBytes(Int)
    /// Too much waits, or came; try again after some seconds.
    case overloaded(Double)
    /// As many sessions as permitted are at work, and none of them is suspended.
    case crowded(Int)
    /// The system gives no thread; in words.
    case noThread(String)
    /// No space is left on the disk; nothing was taken.
    case full
    /// Something else failed.
    case failed(String)
    /// The session is gone.
    case gone
    /// Another node has the session: the call is to be made again.
    case moved
    /// The store of several nodes cannot be reached, in words; nothing was taken.
    case unreachable(String)
  }

  /// What was accepted, in order.
  enum Work {
    case batch(EventBatch, Int64)
    case finish(@Sendable (Reply) -> Void)
    case result(@Sendable ([UInt8]?) -> Void)
  }

  /// Who it is.
  package let identity: SessionIdentity
  /// What it was created from.
  package let setup: SessionSetup
  /// Its number in the log.
  package let number: UInt64
  /// Its updates.
  package let updates: UpdateStore
  /// Its folder.
  package let folder: String
  /// Whose it is.
  package let account: Account
  /// The right to it, where several nodes share a store.
  let lease: SessionStore.Lease?

  let directions = DirectionObserver()
  let shared: SessionResources
  var log: WriteAheadLog { shared.log }
  var limits: SessionLimits { shared.limits }

  // Guarded by the condition.
  let condition = NSCondition()
  var queue: [Work] = []
  var status: Status
  var places: [WriteAheadLog.Place] = []
  /// What its token's account has of it.
  private var keptBytes = 0
  var life = Life()
  private var rates: (events: RateLimit, updates: RateLimit)

  /// Only the intake uses it, and a recovery before it.
  var admission: Admission
  /// Only the intake uses it.
  var submissions = Submissions()

  /// Why it cannot go on behind what the log has; nil where it can.
  let hole: String?

  /// What is known of the batches that came, to take or refuse the next.
  struct Admission {
    var order = SessionProtocol()
    /// Counts what the finder will not use, for the acknowledgement, which does not wait for it.
    var counting: EventAdmission
    var peers: Set<String> = []
  }

  /// What waits to be admitted, and whether it may be: the log was taken in.
  struct Submissions {
    var pending: [Submission] = []
    var isReady = false
  }

  /// What of a session is there; guarded by the condition.
  struct Life {
    /// Whether it takes nothing more,
    var isStopped = false
    /// is deleted,
    var isGone = false
    /// or is to be another node's.
    var isMoved = false
    /// Whether a thread is there.
    var hasThread = false
    /// Whether the thread is at what was taken from the queue.
    var isComputing = false
    /// Whether it waits for its turn to be computed again.
    var waitsForTurn = false
    /// Whether what is in the log was not yet computed since the start.
    var isUnrecovered = false
    /// Whether the log says that its results are final.
    var hasFinishRecord = false
    /// Whether it waits for room on the disk.
    var isPaused = false
    /// Whether the thread is to end, and the finder to go, once nothing waits.
    var asked = Upkeep.keep
    /// Whether something waits to be admitted.
    var hasPending = false
    /// Records that the store has not confirmed.
    var unconfirmed = 0
    /// Batches that were computed.
    var computed = 0
    /// What is in the files of results.
    var written = SessionComputation.Written()
    /// The finder and the files of results; the thread's own while there is one.
    var computation: SessionComputation?

    /// Whether the log must be read before anything is computed.
    var needsReplay: Bool { computation == nil && (computed > 0 || isUnrecovered) }
  }

  /// A session at its beginning, or one that the log has.
  init(
    identity: SessionIdentity, number: UInt64, created: Int64, folder: String, account: Account,
    shared: SessionResources, lease: SessionStore.Lease? = nil, found: LogIndex.Session? = nil
  ) throws {
    self.identity = identity
    self.number = number
    self.folder = folder
    self.account = account
    self.shared = shared
    self.lease = lease
    hole = found?.failure
    setup = try SessionSetup(body: identity.body)
    admission = Admission(
      counting: EventAdmission(rig: setup.header.rig, usesOdometry: setup.header.trajectory == .odometry))
    rates = (
      events: RateLimit(perSecond: shared.limits.eventsPerSecond),
      updates: RateLimit(perSecond: shared.limits.updatesPerSecond)
    )
    if !FileManager.default.fileExists(atPath: folder) {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
    // With a result, which is written last, the files are complete: nothing needs to be computed again.
    let isFinal = FileManager.default.fileExists(atPath: "\(folder)/result.json")
    updates = try UpdateStore(path: "\(folder)/updates.jsonl", keeps: isFinal)
    places = found?.places ?? []
    life.hasFinishRecord = found?.isFinished ?? false
    life.isUnrecovered = !isFinal && (!places.isEmpty || life.hasFinishRecord || hole != nil)
    submissions.isReady = !life.isUnrecovered
    status = Status(
      state: isFinal ? .finished : life.isUnrecovered ? .recovering : .active, now: shared.clock(), created: created)
    status.warnings = setup.warnings + [found?.warning].compactMap { $0 }
    if isFinal, let hole { status.warnings.append("the results are final and whole, the recording is not: \(hole)") }
    status.next = UInt64(places.count)
    status.bytes = found?.bytes ?? 0
    let bytes = status.bytes + (isFinal ? updates.size : 0)
    keptBytes = bytes
    account.keep(bytes)
    if isFinal {
      for _ in places { admission.order.take(ends: false) }
      admission.order.finish()
    }
  }

  /// The host's time, nanoseconds since 1970: for people and latencies only.
  package static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  // MARK: calls from anywhere

  /// Hands over a batch; `reply` is called once, from another thread, when it is on disk or refused.
  package func submit(_ sequence: UInt64, _ batch: EventBatch, reply: @escaping @Sendable (Reply) -> Void) {
    if hasMoved { return reply(.moved) }
    condition.lock()
    if life.isGone || life.isStopped {
      let answer = life.isGone ? Reply.gone : .overloaded(1)
      condition.unlock()
      return reply(answer)
    }
    let now = shared.clock()
    status.lastCall = now
    // A repeated batch counts nothing and passes.
    if sequence >= status.next {
      if let wait = rates.updates.take(0, at: now) ?? account.take(batch.events.count, at: now)
        ?? rates.events.take(batch.events.count, at: now)
      {
        condition.unlock()
        return reply(.overloaded(wait))
      }
    }
    condition.unlock()
    offer(.batch(sequence, batch, Self.now(), reply))
  }

  /// Makes the results final; `reply` is called once they are.
  package func finish(reply: @escaping @Sendable (Reply) -> Void) {
    condition.lock()
    status.lastCall = shared.clock()
    condition.unlock()
    offer(.finish(reply))
  }

  /// The result document so far, or the final one; nil where the session is gone or failed.
  package func result(reply: @escaping @Sendable ([UInt8]?) -> Void) {
    shared.intake.async { [self] in
      if currentStatus.state == .finished {
        return reply(FileManager.default.contents(atPath: resultPath).map(Array.init))
      }
      enqueue(.result(reply)) { _ in reply(nil) }
    }
  }

  var resultPath: String { "\(folder)/result.json" }

  /// Numbers at present.
  package var currentStatus: Status {
    condition.lock()
    defer { condition.unlock() }
    return status
  }

  /// Whether its set-up holds; nil where nothing was computed yet.
  package var verdict: RunVerdict? {
    let status = currentStatus
    if let verdict = status.verdict { return verdict }
    guard status.state == .finished, let result = try? JSONValue(contentsOf: resultPath) else { return nil }
    let verdict = RunVerdict(result["verdict"])
    condition.lock()
    self.status.verdict = verdict
    condition.unlock()
    return verdict
  }

  /// Whether nothing came for long: readers see it as suspended; for the finder that is no event.
  package var isSuspended: Bool {
    let status = currentStatus
    return status.state == .active && shared.clock() - status.lastCall > limits.idle
  }

  /// What is known of it, for what is to become of it.
  package var facts: Upkeep.Facts {
    condition.lock()
    defer { condition.unlock() }
    return Upkeep.Facts(
      isOver: status.state == .finished || status.state == .failed,
      isEmpty: places.isEmpty && !life.isUnrecovered && hole == nil,
      isBusy: !queue.isEmpty || life.unconfirmed > 0 || life.isComputing || life.hasPending
        || (life.hasThread && status.state == .recovering),
      hasThread: life.hasThread, hasFinder: life.computation != nil && life.asked != .park,
      idle: shared.clock() - status.lastCall, untouched: shared.clock() - max(status.lastCall, status.lastTouch))
  }

  /// Somebody asks for it: it is not forgotten, and recovers first.
  func touch() {
    condition.lock()
    status.lastTouch = shared.clock()
    let waits = life.waitsForTurn
    condition.unlock()
    if waits { shared.recovery.hurry(number) }
  }

  /// Segments of the log with its records.
  package var segments: Set<Int> {
    condition.lock()
    defer { condition.unlock() }
    return Set(places.map(\.segment))
  }

  /// Where its batches are, in order.
  package var batchPlaces: [WriteAheadLog.Place] {
    condition.lock()
    defer { condition.unlock() }
    return places
  }

  /// What a batch has, in its order; nil where there is none with that number yet. Reads the log.
  package func events(ofBatch number: Int) throws -> [ParsedEvent]? {
    var events: [ParsedEvent]?
    try log.read({ batchPlaces.indices.contains(number) ? [batchPlaces[number]] : [] }) { record in
      events = try EventBatch(accepted: record.payload).events
      return false
    }
    return events
  }

  /// Records have moved within their segments: old offset to new.
  package func relocate(_ segment: Int, _ moved: [Int: Int]) {
    condition.lock()
    defer { condition.unlock() }
    for index in places.indices where places[index].segment == segment {
      if let offset = moved[places[index].offset] { places[index].offset = offset }
    }
  }

  /// Whether another node has the session, or may have it: nothing of it is taken or shown here any more.
  package var hasMoved: Bool { condition.withLock { life.isMoved } || lease?.isHeld == false }

  /// Another node is to have it: what comes from now on is refused.
  func leave() {
    condition.withLock { life.isMoved = true }
    updates.wake()
  }

  /// Ends the session's thread after what waits was processed. `gone`: the session is being deleted, and what waits is
  /// not processed.
  package func stop(gone: Bool) {
    let refusal = hasMoved ? Reply.moved : .gone
    condition.lock()
    life.isStopped = true
    var refused: [Work] = []
    if gone {
      life.isGone = true
      (refused, queue) = (queue, [])
      account.keep(-keptBytes)
      keptBytes = 0
    }
    condition.broadcast()
    condition.unlock()
    shared.recovery.withdraw(number)
    shared.intake.async { [self] in admitPending() }
    for work in refused {
      switch work {
      case .finish(let reply): reply(refusal)
      case .result(let reply): reply(nil)
      case .batch: break
      }
    }
    updates.wake()
  }

  /// Whether the session was deleted.
  package var isDeleted: Bool {
    condition.lock()
    defer { condition.unlock() }
    return life.isGone && !life.isMoved
  }

  /// Waits until the session has no thread.
  package func join() {
    condition.lock()
    while life.hasThread { condition.wait() }
    condition.unlock()
  }

  /// Updates came, a number of bytes: later batches wait where they are too many.
  func spend(updates count: Int, bytes: Int) {
    let now = shared.clock()
    condition.lock()
    rates.updates.spend(count, at: now)
    condition.unlock()
    account.spend(updates: count, at: now)
    keep(bytes)
  }

  /// Counts bytes of its batches and updates against its token, until it is deleted: a computation may still end then.
  func keep(_ bytes: Int) {
    condition.lock()
    if !life.isGone {
      keptBytes += bytes
      account.keep(bytes)
    }
    condition.unlock()
  }
}
