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
