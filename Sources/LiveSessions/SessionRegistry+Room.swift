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
