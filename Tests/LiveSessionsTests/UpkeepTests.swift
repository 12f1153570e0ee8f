import LiveSessions
import Testing

/// What becomes of sessions that nobody sends to, and who makes room for whom: pure.
@Suite struct UpkeepTests {
  private static func facts(
    isOver: Bool = false, isEmpty: Bool = false, isBusy: Bool = false, hasThread: Bool = false,
    hasFinder: Bool = false, idle: Double, untouched: Double? = nil
  ) -> Upkeep.Facts {
    Upkeep.Facts(
      isOver: isOver, isEmpty: isEmpty, isBusy: isBusy, hasThread: hasThread, hasFinder: hasFinder, idle: idle,
      untouched: untouched ?? idle)
  }

  private static var limits: SessionLimits {
    var limits = SessionLimits()
    (limits.idle, limits.park, limits.empty, limits.retention) = (10, 120, 300, 1000)
    return limits
  }

  @Test func byTimeAlone() {
    func due(_ facts: Upkeep.Facts) -> Upkeep { Upkeep.due(facts, Self.limits) }
    #expect(due(Self.facts(hasThread: true, hasFinder: true, idle: 9)) == .keep)
    #expect(due(Self.facts(hasThread: true, hasFinder: true, idle: 11)) == .rest)
    #expect(due(Self.facts(hasFinder: true, idle: 11)) == .keep)
    #expect(due(Self.facts(hasFinder: true, idle: 121)) == .park)
    #expect(due(Self.facts(isBusy: true, hasThread: true, hasFinder: true, idle: 500)) == .keep)
    // Without data it ends; with data it stays until the retention, and that is counted from any call.
    #expect(due(Self.facts(isEmpty: true, idle: 299)) == .keep)
    #expect(due(Self.facts(isEmpty: true, idle: 301)) == .end)
    #expect(due(Self.facts(idle: 999)) == .keep)
    #expect(due(Self.facts(isOver: true, idle: 1001)) == .end)
    #expect(due(Self.facts(isOver: true, idle: 5000, untouched: 3)) == .keep)
  }

  @Test func theLeastRecentSuspendedOneMakesRoom() {
    func room(_ sessions: [Upkeep.Facts]) -> (index: Int, how: Upkeep)? { Upkeep.makesRoom(sessions, Self.limits) }
    let active = Self.facts(hasThread: true, hasFinder: true, idle: 1)
    let busy = Self.facts(isBusy: true, hasThread: true, hasFinder: true, idle: 99)
    let parked = Self.facts(idle: 5000)
    let over = Self.facts(isOver: true, idle: 6000)
    let suspended = Self.facts(hasFinder: true, idle: 30)
    let empty = Self.facts(isEmpty: true, idle: 40)
    // What is at work, holds nothing or is over makes none.
    #expect(room([active, busy, parked, over]) == nil)
    #expect(room([active, suspended, parked])! == (1, .park))
    // One without data has nothing to come back to.
    #expect(room([suspended, empty, active])! == (1, .end))
    #expect(room([Self.facts(hasFinder: true, idle: 41), empty])! == (0, .park))
    // A new one has time to begin.
    #expect(room([Self.facts(isEmpty: true, idle: 9)]) == nil)
  }

  @Test func whatCountsAsOpen() {
    #expect(Self.facts(isEmpty: true, idle: 0).isOpen && Self.facts(hasFinder: true, idle: 0).isOpen)
    #expect(Self.facts(isBusy: true, idle: 0).isOpen && !Self.facts(idle: 0).isOpen)
    #expect(!Self.facts(isOver: true, isEmpty: true, idle: 0).isOpen)
  }
}
