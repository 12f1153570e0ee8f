/// The intake of a session: what comes is ordered, judged and logged, off Swift's pool of threads, before the finder works
/// on it. A batch is acknowledged once its record is on disk, however long the finder takes; at most `waitingBatches` are
/// ahead of the finder, and those behind wait for their acknowledgement.
extension LiveSession {
  /// What waits to be admitted.
  enum Submission {
    case batch(UInt64, EventBatch, Int64, @Sendable (Reply) -> Void)
    case finish(@Sendable (Reply) -> Void)

    func refuse(_ answer: Reply) {
      switch self {
      case .batch(_, _, _, let reply), .finish(let reply): reply(answer)
      }
    }
  }

  /// Hands something over.
  func offer(_ submission: Submission) {
    shared.intake.async { [self] in
      guard submissions.pending.count < limits.waitingBatches else { return submission.refuse(.overloaded(1)) }
      submissions.pending.append(submission)
      admitPending()
    }
  }

  /// Admits what waits while there is room, in order. Called on the intake.
  func admitPending() {
    while let first = submissions.pending.first {
      condition.lock()
      let answer: Reply? = life.isGone ? .gone : life.isStopped ? .overloaded(1) : nil
      let hasRoom = queue.count + life.unconfirmed < limits.waitingBatches
      life.hasPending = !hasRoom
      condition.unlock()
      let refusal = hasMoved ? Reply.moved : answer
      // The session's thread calls again when it has taken something.
      guard refusal != nil || (submissions.isReady && hasRoom) else { return }
      submissions.pending.removeFirst()
      if let refusal { first.refuse(refusal) } else { admit(first) }
    }
  }

  private func admit(_ submission: Submission) {
    if let failure = currentStatus.failure { return submission.refuse(.failed(failure)) }
    switch submission {
    case .batch(let sequence, let batch, let arrival, let reply): admit(sequence, batch, arrival, reply)
    case .finish(let reply):
      let work: @Sendable () -> Void = { [self] in enqueue(.finish(reply)) { reply($0) } }
      guard !admission.order.isFinished else { return confirmed(nil, refused: reply, then: work) }
      if let obstacle { return reply(obstacle) }
      let record = LogRecord(kind: .finish, session: number, sequence: admission.order.next, arrival: Self.now())
      do throws(LogError) { try log.append(record) } catch { return reply(Self.reply(error)) }
      admission.order.finish()
      skip(nil, isEnd: true)
      confirmed(record, refused: reply, then: work)
    }
  }

  private func admit(
    _ sequence: UInt64, _ batch: EventBatch, _ arrival: Int64, _ reply: @escaping @Sendable (Reply) -> Void
  ) {
    switch admission.order.decide(sequence) {
    case .repeated: return `repeat`(sequence, batch, reply)
    case .early(let next): return reply(.early(next: next))
    case .finished: return reply(.finished)
    case .take: break
    }
    let named = admission.peers.union(batch.peers)
    guard named.count <= limits.peers else { return reply(.tooManyPeers(limits.peers)) }
    if let obstacle { return reply(obstacle) }
    let record = LogRecord(
      kind: .batch, session: number, sequence: sequence, arrival: arrival, payload: batch.bytes)
    let ticket: WriteAheadLog.Ticket
    do throws(LogError) {
      // Placed before records can move: a compaction of the log tells of places that it knows.
      ticket = try log.append(record) { place in
        condition.lock()
        places.append(place)
        condition.unlock()
      }
    } catch { return reply(Self.reply(error)) }
    admission.peers = named
    let skipped = take(batch)
    condition.lock()
    status.bytes += batch.bytes.count
    condition.unlock()
    keep(batch.bytes.count)
    confirmed(record, refused: reply) { [self] in
      enqueue(.batch(batch, arrival))
      log.whenSynced(ticket) { reply($0.map(Self.reply) ?? .accepted(next: sequence + 1, skipped: skipped)) }
    }
  }

  /// Goes on once the store has a record, or all of before: at once where this node has no store. What it refuses is
  /// another node's: the session goes, with what of it is here.
  private func confirmed(
    _ record: LogRecord?, refused: @escaping @Sendable (Reply) -> Void, then body: @escaping @Sendable () -> Void
  ) {
    guard let store = shared.store, let lease else { return body() }
    condition.withLock { life.unconfirmed += 1 }
    let done: @Sendable (SessionStore.Failure?) -> Void = { [self] failure in
      shared.intake.async { [self] in
        condition.withLock { life.unconfirmed -= 1 }
        if let failure {
          shared.lose(self)
          if case .lost = failure { refused(.moved) } else { refused(.unreachable(failure.words)) }
        } else {
          body()
        }
        admitPending()
      }
    }
    if let record { store.append(lease, record, done: done) } else { store.settled(lease, done: done) }
  }

  /// What the session lacks to compute a batch, before it is taken: what is acknowledged is computed, too.
  private var obstacle: Reply? {
    guard shared.hasDiskSpace else { return .full }
    if let words = shared.store?.trouble { return .unreachable(words) }
    if let most = account.exceededBytes { return .tooManyBytes(most) }
    condition.lock()
    // A thread that is to park has given its room to another session.
    let isLeaving = life.asked == .park
    let (hasThread, hasFinder) = (life.hasThread && !isLeaving, life.computation != nil && !isLeaving)
    let isEmpty = places.isEmpty
    let bytes = status.bytes
    condition.unlock()
    guard bytes + updates.size < limits.sessionBytes else { return .tooManyBytes(limits.sessionBytes) }
    if hasThread { return nil }
    do throws(LogError) { try OwnThread.probe() } catch { return .noThread("\(error)") }
    return hasFinder || isEmpty || shared.makeRoom(for: self) ? nil : .crowded(limits.sessions)
  }

  /// Counts a batch that is in the log; returns what of it the finder will not use, by reason.
  @discardableResult func take(_ batch: EventBatch) -> [String: Int] {
    admission.order.take(ends: batch.ends)
    if batch.ends { admission.order.finish() }
    condition.lock()
    // While it recovers it knows how many there are.
    status.next = max(status.next, admission.order.next)
    status.hasEnded = admission.order.hasEnded
    condition.unlock()
    return skip(batch, isEnd: batch.ends)
  }

  /// Counts what a batch or the end of the stream leaves out, and tells it.
  @discardableResult func skip(_ batch: EventBatch?, isEnd: Bool) -> [String: Int] {
    let skipped = admission.counting.skip(batch, isEnd: isEnd)
    let all = admission.counting.skipped
    guard !all.isEmpty else { return skipped }
    let lines = SkipWords.lines(admission.counting)
    let isTurn = skipped.contains { reason, count in
      let before = all[reason]! - count
      return before == 0 || "\(before)".count < "\(all[reason]!)".count
    }
    condition.lock()
    status.skips = lines
    if isTurn { status.skipTurn += 1 }
    condition.unlock()
    if isTurn { updates.wake() }
    return skipped
  }

  /// Acknowledges what was taken before, where it is the same.
  private func `repeat`(_ sequence: UInt64, _ batch: EventBatch, _ reply: @escaping @Sendable (Reply) -> Void) {
    let next = admission.order.next
    var taken: [UInt8]?
    do {
      try log.read({ sequence < UInt64(batchPlaces.count) ? [batchPlaces[Int(sequence)]] : [] }) { record in
        taken = record.payload
        return false
      }
    } catch { return reply(.failed("\(error)")) }
    // Behind a hole of a session that is over nothing can be compared.
    if let taken, taken != batch.bytes {
      return reply(.different(sequence, taken: taken.count, found: batch.bytes.count, next: next))
    }
    confirmed(nil, refused: reply) { [self] in
      log.whenSynced { reply($0.map(Self.reply) ?? .accepted(next: next)) }
    }
  }

  private static func reply(_ error: LogError) -> Reply {
    if case .full = error { .full } else { .failed("\(error)") }
  }
}

extension EventBatch {
  /// The peers that its ranges name.
  var peers: Set<String> {
    var names: Set<String> = []
    for case .event(let timed) in events { if case .range(let range) = timed.event { names.insert(range.peer) } }
    return names
  }
}
