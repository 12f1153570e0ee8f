import Foundation

/// Threads of the service's own. Foundation's `Thread` does not tell where the system gives none; this does.
package enum OwnThread {
  /// Bytes of a stack: a search of the finder is deep.
  private static let stack = 8 << 20

  /// Runs `body` on a new thread.
  ///
  /// - Throws: `LogError.thread` where the system gives none.
  package static func start(_ body: @escaping @Sendable () -> Void) throws(LogError) {
    var thread = pthread_t()
    try create(&thread, body)
    pthread_detach(thread)
  }

  /// Whether the system would give a thread now: starts one that does nothing, and waits for it.
  ///
  /// - Throws: `LogError.thread` where it gives none.
  package static func probe() throws(LogError) {
    var thread = pthread_t()
    try create(&thread) {}
    pthread_join(thread, nil)
  }

  private final class Body {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  private static func create(_ thread: inout pthread_t, _ body: @escaping @Sendable () -> Void) throws(LogError) {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setstacksize(&attributes, stack)
    let box = Unmanaged.passRetained(Body(body))
    let status = pthread_create(
      &thread, &attributes,
      { argument in
        Unmanaged<Body>.fromOpaque(argument!).takeRetainedValue().run()
        return nil
      }, box.toOpaque())
    guard status == 0 else {
      box.release()
      throw .thread(cause: String(cString: strerror(status)))
    }
  }
}

/// One thread that does what it is given, in order: off Swift's pool, and there before it is needed.
final class SerialThread: @unchecked Sendable {
  private let condition = NSCondition()
  private var waiting: [@Sendable () -> Void] = []

  /// - Throws: `LogError.thread` where the system gives none.
  init() throws(LogError) {
    try OwnThread.start { [self] in
      while true {
        condition.lock()
        while waiting.isEmpty { condition.wait() }
        let bodies = waiting
        waiting = []
        condition.unlock()
        for body in bodies { body() }
      }
    }
  }

  /// Hands over what is to be done.
  func async(_ body: @escaping @Sendable () -> Void) {
    condition.lock()
    waiting.append(body)
    condition.signal()
    condition.unlock()
  }
}

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
