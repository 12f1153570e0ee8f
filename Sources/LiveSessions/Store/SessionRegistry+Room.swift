import Foundation

/// Room for sessions: how many are open, who makes way for whom, and what new ones lack.
extension SessionRegistry {
  /// Takes a place for a session that is being created; the creation gives it back.
  func reserve(for account: Account) throws(Refusal) {
    guard shared.hasDiskSpace else { throw .full }
    do throws(LogError) { try OwnThread.probe() } catch { throw .noThread("\(error)") }
    guard Self.hasDescriptors else { throw .noDescriptor }
    if let most = account.exceededBytes { throw .bytes(most) }
    roomLock.lock()
    defer { roomLock.unlock() }
    guard some.count + reserved < limits.keptSessions else {
      throw .tooManyKept(limits.keptSessions)
    }
    try room(for: account, besides: nil)
    reserved += 1
  }

  /// Whether there is room for one more open session, of an account; the least recent suspended one makes it where there
  /// is none.
  private func room(for account: Account, besides coming: LiveSession?) throws(Refusal) {
    let others = some.filter { $0 !== coming }
    let facts = others.map(\.facts)
    if let most = account.sessions {
      let own = others.indices.filter { others[$0].account === account && facts[$0].isOpen }
      if own.count >= most {
        guard let made = Upkeep.makesRoom(own.map { facts[$0] }, limits) else { throw .quota(most) }
        return carryOut(made.how, others[own[made.index]])
      }
    }
    guard facts.count(where: \.isOpen) + reserved >= limits.sessions else { return }
    guard let made = Upkeep.makesRoom(facts, limits) else { throw .tooMany(limits.sessions) }
    carryOut(made.how, others[made.index])
  }

  func makeRoom(for session: LiveSession) -> Bool {
    roomLock.withLock {
      do throws(Refusal) {
        try room(for: session.account, besides: session)
        return true
      } catch { return false }
    }
  }

  private func carryOut(_ upkeep: Upkeep, _ session: LiveSession) {
    // What the store keeps needs no room here.
    if session.lease != nil, upkeep == .end || upkeep == .park {
      if session.updates.readerCount == 0 { letGo(session) }
      return
    }
    switch upkeep {
    case .end: end(session)
    case .keep, .rest, .park: session.tend(upkeep)
    }
  }

  /// Does for every session what is due: called every few seconds.
  package func tend() {
    for session in some {
      let facts = session.facts
      let isOut = session.lease != nil && facts.isOver && facts.untouched > limits.park
      carryOut(isOut ? .park : Upkeep.due(facts, limits), session)
    }
    shared.recovery.advance()
  }

  /// What new sessions lack now, in words: empty where they would be taken.
  package var causes: [String] {
    var causes: [String] = []
    let facts = some.map(\.facts)
    if facts.count(where: \.isOpen) >= limits.sessions, Upkeep.makesRoom(facts, limits) == nil {
      causes.append("sessions: \(limits.sessions) are open and none is suspended, expected fewer: --max-sessions")
    }
    if facts.count >= limits.keptSessions {
      causes.append("sessions: \(facts.count) are kept, expected fewer: --max-kept-sessions, --retention")
    }
    if let words = shared.store?.trouble { causes.append("store: \(words)") }
    if !shared.hasDiskSpace { causes.append("disk: no more free than its reserve, expected more: --disk-reserve") }
    do throws(LogError) { try OwnThread.probe() } catch { causes.append("threads: \(error)") }
    if !Self.hasDescriptors { causes.append("descriptors: none is left, expected some: raise its limit of open files") }
    return causes
  }

  /// Whether a session could open its files.
  private static var hasDescriptors: Bool {
    let files = (0..<4).map { _ in open("/dev/null", O_RDONLY | O_CLOEXEC) }
    for file in files where file >= 0 { Glibc.close(file) }
    return files.allSatisfy { $0 >= 0 }
  }

  /// Sessions that are open, kept and recovering.
  package var counts: (open: Int, kept: Int, recovering: Int) {
    let sessions = some
    return (
      sessions.count { $0.facts.isOpen }, sessions.count, sessions.count { $0.currentStatus.state == .recovering }
    )
  }
}

/// What becomes of a session that nobody sends to: pure, asked every few seconds and where another one needs room.
package enum Upkeep: Equatable, Sendable {
  /// Nothing.
  case keep
  /// Its thread ends; its finder stays.
  case rest
  /// Its finder goes, too; the next batch brings it back from the log.
  case park
  /// It has had no data for long, or no call: it ends, with its data.
  case end

  /// What is known of a session.
  package struct Facts: Equatable, Sendable {
    /// Whether its results are final, or it has failed.
    package var isOver: Bool
    /// Whether it has no batch.
    package var isEmpty: Bool
    /// Whether something waits to be computed.
    package var isBusy: Bool
    /// Whether it has a thread.
    package var hasThread: Bool
    /// Whether its finder is in memory.
    package var hasFinder: Bool
    /// Seconds since the last call that sends.
    package var idle: Double
    /// Seconds since the last call of any kind.
    package var untouched: Double

    /// Facts of a session.
    package init(
      isOver: Bool, isEmpty: Bool, isBusy: Bool, hasThread: Bool, hasFinder: Bool, idle: Double, untouched: Double
    ) {
      (self.isOver, self.isEmpty, self.isBusy) = (isOver, isEmpty, isBusy)
      (self.hasThread, self.hasFinder, self.idle, self.untouched) = (hasThread, hasFinder, idle, untouched)
    }

    /// Whether it counts among the open ones.
    package var isOpen: Bool { !isOver && (isEmpty || isBusy || hasFinder) }
  }

  /// What is due by time alone.
  package static func due(_ facts: Facts, _ limits: SessionLimits) -> Upkeep {
    if let retention = limits.retention, facts.untouched > retention { return .end }
    if facts.isOver || facts.isBusy { return .keep }
    if facts.isEmpty { return facts.idle > limits.empty ? .end : .keep }
    if facts.hasFinder, facts.idle > limits.park { return .park }
    return facts.hasThread && facts.idle > limits.idle ? .rest : .keep
  }

  /// Which of some open sessions makes room for another, and how: of those suspended the least recent; nil where none is.
  package static func makesRoom(_ sessions: [Facts], _ limits: SessionLimits) -> (index: Int, how: Upkeep)? {
    let suspended = sessions.indices.filter {
      sessions[$0].isOpen && !sessions[$0].isBusy && sessions[$0].idle > limits.idle
    }
    guard let index = suspended.max(by: { sessions[$0].idle < sessions[$1].idle }) else { return nil }
    return (index, sessions[index].isEmpty ? .end : .park)
  }
}
