import Foundation

/// Lets as many sessions recover at a time as there are processors, those first whose client is back.
package final class RecoveryQueue: @unchecked Sendable {
  private let condition = NSCondition()
  private let limit: Int
  private var running = 0
  private var waiting: [UInt64] = []
  private var urgent: Set<UInt64> = []

  /// A queue for this many at a time.
  package init(limit: Int) { self.limit = max(1, limit) }

  /// Waits for a place.
  func enter(_ session: UInt64) {
    condition.lock()
    waiting.append(session)
    while running >= limit || next != session { condition.wait() }
    waiting.removeAll { $0 == session }
    urgent.remove(session)
    running += 1
    condition.broadcast()
    condition.unlock()
  }

  private var next: UInt64? { waiting.first { urgent.contains($0) } ?? waiting.first }

  /// Gives the place back.
  func leave() {
    condition.lock()
    running -= 1
    condition.broadcast()
    condition.unlock()
  }

  /// A session's client is back.
  package func hurry(_ session: UInt64) {
    condition.lock()
    if waiting.contains(session), urgent.insert(session).inserted { condition.broadcast() }
    condition.unlock()
  }
}
