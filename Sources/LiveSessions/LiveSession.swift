import Datasets
import EventLines
import Foundation
import PrecisionFinding
import RunResults
import SensorData

/// One session: what comes is ordered and logged at once, and processed in order on a thread of its own.
///
/// A search begun in motion takes a tenth of a second and more: on a thread it holds up nobody else, and as the log comes
/// first no acknowledgement waits for it.
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
    /// Too much waits; try again after some seconds.
    case overloaded(Double)
    /// No space is left on the disk; nothing was taken.
    case full
    /// Something else failed.
    case failed(String)
    /// The session is gone.
    case gone
  }

  /// What a session is doing.
  package enum State: String, Sendable {
    case recovering, active, finished, failed
  }

  /// Numbers for people and monitors.
  package struct Status: Sendable {
    /// What it is doing.
    package var state: State
    /// The next batch's number.
    package var next: UInt64 = 0
    /// Measurements that entered, by stream.
    package var events: [LineStream: Int] = [:]
    /// Measurements left out, by stream and kind.
    package var damage: [LineStream: [DamageKind: Int]] = [:]
    /// Measurements a second over the last seconds.
    package var eventRate = 0.0
    /// Batches that wait.
    package var waiting = 0
    /// Bytes of the batches so far.
    package var bytes = 0
    /// Age of the newest measurement when its updates were published, seconds, smoothed; nil before there is one.
    package var lag: Double?
    /// Whether a line `end` was read.
    package var hasEnded = false
    /// When the last call came, seconds of a monotonic clock.
    package var lastCall: Double
    /// When the session was created, nanoseconds since 1970.
    package var created: Int64
    /// Warnings so far, at most a hundred.
    package var warnings: [String] = []
    /// What of the measurements is not used, a line for each stream.
    package var skips: [String] = []
    /// Changes where readers are to be told of `skips`: with the first, tenth, hundredth ... of a reason.
    package var skipTurn = 0
    /// What failed.
    package var failure: String?
  }

  /// What was accepted, in order.
  enum Work {
    case batch(EventBatch, Int64)
    case finish(@Sendable (Reply) -> Void)
    case result(@Sendable ([UInt8]?) -> Void)
    case stop
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

  let directions = DirectionObserver()
  let log: WriteAheadLog
  let limits: SessionLimits
  let intake = DispatchQueue(label: "fuse.intake")
  let condition = NSCondition()
  var queue: [Work] = []
  var status: Status
  var places: [WriteAheadLog.Place] = []
  private var limit: RateLimit
  var isStopped = false
  var isGone = false
  var hasPending = false

  // Only the intake uses these, and a recovery before it.
  var order = SessionProtocol()
  /// Counts what the finder will not use, for the acknowledgement, which does not wait for it.
  var counting: EventAdmission
  var peers: Set<String> = []
  var pending: [Submission] = []
  var isReady = false

  // Only the session's thread uses these.
  private var isFinal: Bool
  private var run: FinderRun?
  private var admission: EventAdmission
  private var json = JSONBuffer()
  private var trajectory: TrajectoryStore
  private var firstTimestamp: Timestamp?
  private var updateCount = 0
  private var rate = (began: 0.0, count: 0)
  private var hasFinishRecord: Bool
  /// Why it cannot go on behind what the log has; nil where it can.
  private let hole: String?

  /// A session at its beginning, or one that was found in the log.
  package init(
    identity: SessionIdentity, number: UInt64, created: Int64, folder: String, log: WriteAheadLog,
    limits: SessionLimits,
    found: LogIndex.Session? = nil, recovery: RecoveryQueue
  ) throws {
    self.identity = identity
    self.number = number
    self.folder = folder
    self.log = log
    self.limits = limits
    let places = found?.places ?? []
    let isFinished = found?.isFinished ?? false
    self.places = places
    hole = found?.failure
    setup = try SessionSetup(body: identity.body)
    limit = RateLimit(perSecond: limits.eventsPerSecond)
    hasFinishRecord = isFinished
    counting = EventAdmission(rig: setup.header.rig, usesOdometry: setup.header.trajectory == .odometry)
    admission = EventAdmission(rig: setup.header.rig, usesOdometry: setup.header.trajectory == .odometry)
    if !FileManager.default.fileExists(atPath: folder) {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
    // With a result, which is written last, the files are complete: nothing needs to be computed again.
    isFinal = FileManager.default.fileExists(atPath: "\(folder)/result.json")
    updates = try UpdateStore(path: "\(folder)/updates.jsonl", keeps: isFinal)
    trajectory = try TrajectoryStore(path: "\(folder)/trajectory.tum", keeps: isFinal)
    status = Status(
      state: isFinal ? .finished : places.isEmpty && !isFinished && hole == nil ? .active : .recovering,
      lastCall: Self.clock(), created: created)
    status.warnings = setup.warnings + [found?.warning].compactMap { $0 }
    if isFinal, let hole { status.warnings.append("the results are final and whole, the recording is not: \(hole)") }
    status.next = UInt64(places.count)
    if isFinal {
      for _ in places { order.take(ends: false) }
      order.finish()
      updates.finish()
    } else {
      run = FinderRun(
        PrecisionFinder(
          rig: setup.header.rig, configuration: setup.configuration,
          useOdometry: setup.header.trajectory == .odometry))
      run!.finder.attach(directions)
    }
    let thread = Thread { [self] in
      if status.state == .recovering {
        recovery.enter(number)
        recover()
        recovery.leave()
      }
      intake.async { [self] in
        isReady = true
        admitPending()
      }
      loop()
    }
    thread.stackSize = 8 << 20
    thread.start()
  }

  private static func clock() -> Double { Double(DispatchTime.now().uptimeNanoseconds) * 1e-9 }

  /// The host's time, nanoseconds since 1970: for people and latencies only.
  package static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  // MARK: calls from anywhere

  /// Hands over a batch; `reply` is called once, from another thread, when it is on disk or refused.
  package func submit(_ sequence: UInt64, _ batch: EventBatch, reply: @escaping @Sendable (Reply) -> Void) {
    condition.lock()
    if isGone || isStopped {
      condition.unlock()
      return reply(isGone ? .gone : .overloaded(1))
    }
    let now = Self.clock()
    status.lastCall = now
    // A repeated batch counts nothing and passes.
    if sequence >= status.next, let wait = limit.take(batch.events.count, at: now) {
      condition.unlock()
      return reply(.overloaded(wait))
    }
    condition.unlock()
    offer(.batch(sequence, batch, Self.now(), reply))
  }

  /// Makes the results final; `reply` is called once they are.
  package func finish(reply: @escaping @Sendable (Reply) -> Void) {
    condition.lock()
    status.lastCall = Self.clock()
    condition.unlock()
    offer(.finish(reply))
  }

  /// The result document so far, or the final one; nil where the session is gone.
  package func result(reply: @escaping @Sendable ([UInt8]?) -> Void) {
    enqueue(.result(reply)) { _ in reply(nil) }
  }

  func enqueue(_ work: Work, refused: (Reply) -> Void = { _ in }) {
    condition.lock()
    guard !isGone, !isStopped else {
      condition.unlock()
      return refused(isGone ? .gone : .overloaded(1))
    }
    status.lastCall = Self.clock()
    queue.append(work)
    condition.signal()
    condition.unlock()
  }

  /// Numbers at present.
  package var currentStatus: Status {
    condition.lock()
    defer { condition.unlock() }
    return status
  }

  /// Whether nothing came for long: readers see it as suspended; for the finder that is no event.
  package var isSuspended: Bool {
    let status = currentStatus
    return status.state == .active && Self.clock() - status.lastCall > limits.idle
  }

  /// Seconds since the last call.
  package var idleTime: Double { Self.clock() - currentStatus.lastCall }

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

  /// Records have moved within their segments: old offset to new.
  package func relocate(_ moved: [Int: [Int: Int]]) {
    condition.lock()
    defer { condition.unlock() }
    for index in places.indices {
      if let offset = moved[places[index].segment]?[places[index].offset] { places[index].offset = offset }
    }
  }

  /// Ends the session's thread after what waits was processed. `gone`: the session is being deleted, and what waits is
  /// not processed.
  package func stop(gone: Bool) {
    condition.lock()
    isStopped = true
    if gone {
      isGone = true
      for work in queue { Self.refuse(work) }
      queue = []
    }
    queue.append(.stop)
    condition.broadcast()
    condition.unlock()
    updates.wake()
  }

  /// Whether the session was deleted.
  package var isDeleted: Bool {
    condition.lock()
    defer { condition.unlock() }
    return isGone
  }

  /// Waits until the session's thread has ended.
  package func join() {
    condition.lock()
    while !hasLeft { condition.wait() }
    condition.unlock()
  }

  private var hasLeft = false

  private static func refuse(_ work: Work) {
    switch work {
    case .finish(let reply): reply(.gone)
    case .result(let reply): reply(nil)
    case .batch, .stop: break
    }
  }

  // MARK: the session's thread

  private func loop() {
    while true {
      condition.lock()
      while queue.isEmpty { condition.wait() }
      let work = queue.removeFirst()
      status.waiting = queue.count
      let hasPending = hasPending
      condition.unlock()
      if hasPending { intake.async { [self] in admitPending() } }
      switch work {
      // After a failure the log has the batch, for the next start.
      case .batch(let batch, let arrival): if currentStatus.failure == nil { process(batch, arrival: arrival) }
      case .finish(let reply):
        if currentStatus.failure == nil { endInput(Self.now()) }
        let status = currentStatus
        log.whenSynced { error in
          reply((status.failure ?? error.map { "\($0)" }).map { .failed($0) } ?? .accepted(next: status.next))
        }
      case .result(let reply): reply(resultDocument())
      case .stop:
        intake.async { [self] in admitPending() }
        condition.lock()
        hasLeft = true
        condition.broadcast()
        condition.unlock()
        return
      }
    }
  }

  private func process(_ batch: EventBatch, arrival: Int64) {
    var events: [TimedEvent] = []
    for parsed in batch.events { admission.admit(parsed, into: &events) }
    enter(events)
    publish(arrival)
    if batch.ends { endInput(arrival) }
    let now = Self.clock()
    if now - rate.began > 2 {
      let measured = rate.began > 0 ? Double(rate.count) / (now - rate.began) : 0
      rate = (now, 0)
      condition.lock()
      status.eventRate = measured
      condition.unlock()
    }
    rate.count += batch.events.count
    condition.lock()
    status.events = admission.rows
    status.damage = admission.damage
    status.bytes += batch.bytes.count
    if !events.isEmpty {
      let age = Double(Self.now() - arrival) * 1e-9
      status.lag = status.lag.map { 0.9 * $0 + 0.1 * age } ?? age
    }
    for warning in batch.warnings where status.warnings.count < 100 && !status.warnings.contains(warning) {
      status.warnings.append(warning)
    }
    condition.unlock()
  }

  private func enter(_ events: [TimedEvent]) {
    for event in events {
      if firstTimestamp == nil, event.event.stream != .event { firstTimestamp = event.event.timestamp }
      emit(run!.process(event))
    }
  }

  private func emit(_ outputs: [FinderOutput]) {
    for output in outputs {
      if let record = UpdateRecord(output) {
        json.removeAll()
        record.write(to: &json)
        updates.add(json.bytes, peer: record.peer)
        updateCount += 1
      } else if case .pose(let time, let pose, _) = output {
        trajectory.add(time, pose)
      }
    }
  }

  private func publish(_ arrival: Int64) {
    do {
      try updates.publish(arrival: arrival, now: Self.now())
      try trajectory.flush()
    } catch { fail("\(error)") }
  }

  /// Derived files could not be written: the log has everything, a restart computes them again.
  private func fail(_ cause: String) {
    condition.lock()
    status.failure = cause
    status.state = .failed
    condition.unlock()
  }

  private func endInput(_ arrival: Int64) {
    guard !isFinal, run != nil else { return }
    var events: [TimedEvent] = []
    admission.finish(into: &events)
    enter(events)
    emit(run!.finish())
    publish(arrival)
    isFinal = true
    guard let document = resultDocument() else { return }
    // The result stands for the whole log: it must not be on disk before its batches are.
    let isLogged = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var failure: LogError?
    log.whenSynced { error in
      failure = error
      isLogged.signal()
    }
    isLogged.wait()
    if let failure { return fail("\(failure)") }
    updates.sync()
    trajectory.sync()
    do { try AtomicBytes.write(document, to: "\(folder)/result.json") } catch { return fail("\(error)") }
    updates.finish()
    condition.lock()
    status.state = .finished
    condition.unlock()
    run = nil
  }

  /// The document, from the finder or from the file.
  private func resultDocument() -> [UInt8]? {
    guard let run else { return FileManager.default.contents(atPath: "\(folder)/result.json").map(Array.init) }
    let damage = LineStream.allCases.sorted().compactMap { stream in
      admission.rows[stream].map {
        FileDamage(path: stream.rawValue, rows: $0, counts: admission.damage[stream] ?? [:])
      }
    }
    let document = ResultDocument(
      title: nil, start: firstTimestamp ?? Timestamp(nanoseconds: 0),
      trajectorySource: setup.header.trajectory == .odometry ? .odometry : .imuAndCamera,
      options: RunOptions(finder: setup.configuration), digest: nil, counts: run.counts, damage: damage,
      summary: run.finder.summary, diagnoses: run.finder.diagnoses, calibration: run.finder.calibration,
      peers: run.peers,
      written: (updateCount, trajectory.count), nonFinite: json.nonFiniteCount + trajectory.nonFinite, errors: nil)
    var text = JSONBuffer()
    text.pretty(document.json)
    text.raw("\n")
    return text.bytes
  }

  /// Replays the log.
  private func recover() {
    do {
      try log.read({ batchPlaces }) { record in
        let batch = try EventBatch(accepted: record.payload)
        peers.formUnion(batch.peers)
        take(batch)
        process(batch, arrival: record.arrival)
        return !isDeleted
      }
      if let hole {
        fail(hole)
      } else if hasFinishRecord {
        skip(nil, isEnd: true)
        order.finish()
        endInput(Self.now())
      }
    } catch { fail("recovery: \(error)") }
    condition.lock()
    if status.state == .recovering { status.state = .active }
    condition.unlock()
    updates.wake()
  }
}
