import Datasets
import Foundation
import RunResults

/// The session's thread: there while there is something to compute.
extension LiveSession {
  /// Queues something, and sees that there is a thread. What was refused is not queued.
  func enqueue(_ work: Work, refused: (Reply) -> Void = { _ in }) {
    condition.lock()
    guard !life.isGone, !life.isStopped else {
      condition.unlock()
      return refused(life.isGone ? .gone : .overloaded(1))
    }
    queue.append(work)
    status.waiting = queue.count
    life.asked = .keep
    condition.broadcast()
    condition.unlock()
    // A batch is in the log: without a thread now, `tend` starts one later.
    try? begin()
  }

  /// Starts the thread where there is work and none is there, or waits for the turn to be computed again.
  ///
  /// - Throws: `LogError.thread` where the system gives none.
  func begin() throws(LogError) {
    condition.lock()
    guard !life.hasThread, !life.waitsForTurn, !life.isPaused, !life.isStopped, !queue.isEmpty || life.isUnrecovered
    else {
      return condition.unlock()
    }
    if life.needsReplay {
      life.waitsForTurn = true
      if status.failure == nil { status.state = .recovering }
      condition.unlock()
      return shared.recovery.enter(number) { [self] in startReplay() }
    }
    life.hasThread = true
    condition.unlock()
    do throws(LogError) { try OwnThread.start { [self] in work() } } catch {
      condition.lock()
      life.hasThread = false
      condition.broadcast()
      condition.unlock()
      throw error
    }
  }

  /// It is its turn; false where the system gives no thread.
  private func startReplay() -> Bool {
    condition.lock()
    life.waitsForTurn = false
    life.hasThread = true
    let isOver = life.isStopped
    condition.unlock()
    let body: @Sendable () -> Void = { [self] in
      if !isOver { replay() }
      shared.recovery.leave()
      work()
    }
    do throws(LogError) { try OwnThread.start(body) } catch {
      condition.lock()
      life.hasThread = false
      life.waitsForTurn = true
      condition.broadcast()
      condition.unlock()
      return false
    }
    return true
  }

  /// Does what is due: rests or parks, and starts what found no thread or no room before.
  func tend(_ upkeep: Upkeep) {
    condition.lock()
    var given: SessionComputation?
    if upkeep == .rest || upkeep == .park {
      if life.hasThread {
        life.asked = upkeep
        condition.broadcast()
      } else if upkeep == .park, queue.isEmpty {
        given = life.computation
        forget()
      }
    }
    if life.isPaused, shared.hasDiskSpace { life.isPaused = false }
    condition.unlock()
    _ = given
    try? begin()
  }

  /// The finder goes, with the condition held; what is in the files stays.
  private func forget() {
    if let computation = life.computation { life.written = computation.written }
    life.computation = nil
  }

  private func work() {
    while let work = next() {
      switch work {
      case .batch(let batch, let arrival): carryOut(batch, arrival)
      case .finish(let reply):
        if currentStatus.failure == nil { endInput(Self.now()) }
        let status = currentStatus
        log.whenSynced { error in
          reply((status.failure ?? error.map { "\($0)" }).map { .failed($0) } ?? .accepted(next: status.next))
        }
      case .result(let reply):
        if currentStatus.state == .finished {
          reply(FileManager.default.contents(atPath: resultPath).map(Array.init))
        } else {
          reply((try? computation())?.document())
        }
      }
    }
  }

  /// The next work; nil where the thread has left.
  private func next() -> Work? {
    condition.lock()
    life.isComputing = false
    while true {
      let mustLeave = life.isPaused || life.needsReplay
      if !queue.isEmpty, !mustLeave {
        let work = queue.removeFirst()
        life.isComputing = true
        status.waiting = queue.count
        let hasPending = life.hasPending
        condition.unlock()
        if hasPending { shared.intake.async { [self] in admitPending() } }
        return work
      }
      let isOver = status.state == .finished || status.state == .failed
      if life.isStopped || isOver || mustLeave || life.asked != .keep {
        if isOver || life.asked == .park || life.isStopped { forget() }
        life.asked = .keep
        life.hasThread = false
        condition.broadcast()
        condition.unlock()
        shared.intake.async { [self] in admitPending() }
        return nil
      }
      condition.wait()
    }
  }

  /// The finder, made where there is none.
  private func computation() throws(LogError) -> SessionComputation {
    if let computation = life.computation { return computation }
    let made = try SessionComputation(
      setup, folder: folder, updates: updates, written: life.written, directions: directions)
    condition.lock()
    life.computation = made
    condition.unlock()
    return made
  }

  /// Computes a batch that was accepted.
  private func carryOut(_ batch: EventBatch, _ arrival: Int64) {
    // After a failure the log has the batch, for the next start.
    guard currentStatus.failure == nil, !hasMoved else { return }
    do {
      let bytes = updates.size
      let count = try compute(batch, arrival)
      spend(updates: count, bytes: updates.size - bytes)
    } catch LogError.full {
      pause(with: batch, arrival)
    } catch { fail("\(error)") }
  }

  /// Processes a batch and shows what came; returns the number of updates.
  private func compute(_ batch: EventBatch, _ arrival: Int64, isNew: Bool = true) throws -> Int {
    let computation = try computation()
    let count = computation.process(batch)
    // Whoever was stopped meanwhile shows nothing that another node shows now.
    guard !hasMoved else { return 0 }
    // Known before the updates that rest on it.
    tell(computation.verdict)
    let range = try computation.publish(arrival)
    if isNew {
      shared.feed.add(session: number, range)
      shared.updateLatency.add(Double(Self.now() - arrival) * 1e-9, times: range.count)
    }
    if batch.ends { endInput(arrival) }
    note(batch, arrival, updates: count, computation)
    return count
  }

  /// The disk is full: the finder goes, and what waits is computed once there is room.
  private func pause(with batch: EventBatch, _ arrival: Int64) {
    condition.lock()
    queue.insert(.batch(batch, arrival), at: 0)
    life.isPaused = true
    forget()
    condition.unlock()
  }

  private func tell(_ verdict: RunVerdict) {
    condition.lock()
    status.verdict = verdict
    condition.unlock()
  }

  private func note(_ batch: EventBatch, _ arrival: Int64, updates: Int, _ computation: SessionComputation) {
    let now = shared.clock()
    let age = Double(Self.now() - arrival) * 1e-9
    condition.lock()
    life.computed += 1
    life.written = computation.written
    status.count(batch.events.count, updates: updates, at: now)
    status.events = computation.admission.rows
    status.damage = computation.admission.damage
    if !batch.events.isEmpty { status.lag = status.lag.map { 0.9 * $0 + 0.1 * age } ?? age }
    for warning in batch.warnings where status.warnings.count < 100 && !status.warnings.contains(warning) {
      status.warnings.append(warning)
    }
    condition.unlock()
  }

  /// Derived files could not be written: the log has everything, a restart computes them again.
  private func fail(_ cause: String) {
    condition.lock()
    status.failure = cause
    status.state = .failed
    condition.unlock()
    updates.wake()
  }

  private func endInput(_ arrival: Int64) {
    guard currentStatus.state != .finished, !hasMoved else { return }
    do {
      let computation = try computation()
      computation.finish()
      tell(computation.verdict)
      shared.feed.add(session: number, try computation.publish(arrival))
      let document = computation.document()
      // The result stands for the whole log: it must not be on disk before its batches are.
      let isLogged = DispatchSemaphore(value: 0)
      nonisolated(unsafe) var failure: LogError?
      log.whenSynced { error in
        failure = error
        isLogged.signal()
      }
      isLogged.wait()
      if let failure { throw failure }
      computation.sync()
      try AtomicBytes.write(document, to: resultPath)
    } catch { return fail("\(error)") }
    updates.finish()
    condition.lock()
    status.state = .finished
    life.isUnrecovered = false
    condition.unlock()
  }

  /// Computes the log's batches again: all of them after a start, those that were computed where the finder was away.
  private func replay() {
    condition.lock()
    let count = life.isUnrecovered ? places.count : life.computed
    let isFirst = life.isUnrecovered
    life.computed = 0
    condition.unlock()
    do {
      try log.read({ Array(batchPlaces.prefix(count)) }) { record in
        let batch = try EventBatch(accepted: record.payload)
        if isFirst {
          admission.peers.formUnion(batch.peers)
          take(batch)
        }
        let bytes = updates.size
        _ = try compute(batch, record.arrival, isNew: false)
        keep(updates.size - bytes)
        return !isStopping
      }
      if isStopping { return }
      if isFirst, let hole {
        fail(hole)
      } else if isFirst, life.hasFinishRecord {
        skip(nil, isEnd: true)
        admission.order.finish()
        endInput(Self.now())
      }
    } catch LogError.full {
      return pauseReplay(isFirst: isFirst, count: count)
    } catch { fail("recovery: \(error)") }
    condition.lock()
    life.isUnrecovered = false
    if status.state == .recovering { status.state = .active }
    // Nobody sends: its files were what was wanted.
    let isAlone = isFirst && status.lastCall == status.lastTouch
    if isAlone || shared.clock() - status.lastCall > limits.idle { life.asked = .park }
    condition.unlock()
    if isFirst {
      shared.intake.async { [self] in
        submissions.isReady = true
        admitPending()
      }
    }
    updates.wake()
  }

  private var isStopping: Bool {
    condition.lock()
    defer { condition.unlock() }
    return life.isStopped
  }

  /// The disk is full while the log is computed again: it restarts once there is room.
  private func pauseReplay(isFirst: Bool, count: Int) {
    condition.lock()
    forget()
    life.isPaused = true
    life.computed = isFirst ? 0 : count
    condition.unlock()
  }
}
