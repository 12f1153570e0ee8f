import Foundation

/// Lets as many sessions be computed again from the log at a time as there are processors, those first whose client is
/// back. Who waits holds no thread.
package final class RecoveryQueue: @unchecked Sendable {
  private let lock = NSLock()
  private let limit: Int
  private var running = 0
  private var waiting: [(session: UInt64, start: @Sendable () -> Bool)] = []

  /// A queue for this many at a time.
  package init(limit: Int) { self.limit = max(1, limit) }

  /// Calls `start` once there is a place; it returns false where nothing could be started, and is called again by
  /// `advance`. The place is given back by `leave`.
  package func enter(_ session: UInt64, start: @escaping @Sendable () -> Bool) {
    lock.withLock { waiting.append((session, start)) }
    advance()
  }

  /// Gives a place back.
  package func leave() {
    lock.withLock { running -= 1 }
    advance()
  }

  /// A session's client is back: it is next.
  package func hurry(_ session: UInt64) {
    lock.withLock {
      guard let index = waiting.firstIndex(where: { $0.session == session }), index > 0 else { return }
      waiting.insert(waiting.remove(at: index), at: 0)
    }
  }

  /// A session that no longer waits.
  package func withdraw(_ session: UInt64) { lock.withLock { waiting.removeAll { $0.session == session } } }

  /// Starts what there is room for.
  package func advance() {
    while true {
      let next = lock.withLock { () -> (session: UInt64, start: @Sendable () -> Bool)? in
        guard running < limit, !waiting.isEmpty else { return nil }
        running += 1
        return waiting.removeFirst()
      }
      guard let next else { return }
      guard next.start() else {
        return lock.withLock {
          running -= 1
          waiting.insert(next, at: 0)
        }
      }
    }
  }
}
