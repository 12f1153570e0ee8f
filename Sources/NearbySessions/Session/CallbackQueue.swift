import Dispatch
import Foundation

/// Calls back on a queue and waits for it: the app's work in a callback ends before the device's next event. That makes
/// a replay deterministic at any speed.
package enum CallbackQueue {
  private static let key = DispatchSpecificKey<UUID>()
  private static let marking = NSLock()

  /// Runs `body` on `queue`, nil meaning the main queue; inline when called on that queue. On the main thread the main
  /// queue continues meanwhile: the app's work on its own queue may wait for it.
  package static func run(on queue: DispatchQueue?, _ body: @escaping () -> Void) {
    let queue = queue ?? .main
    if isCurrent(queue) { return body() }
    guard MainQueue.isServedHere else { return queue.sync(execute: body) }
    nonisolated(unsafe) let body = body
    nonisolated(unsafe) var isDone = false  // Touched on the main thread only.
    queue.async {
      body()
      DispatchQueue.main.async { isDone = true }
    }
    while !isDone { MainQueue.serve(for: 0.1) }
  }

  /// Runs `body` on `queue`, nil meaning the main queue, without blocking the caller's thread.
  package static func run(on queue: DispatchQueue?, _ body: @escaping () -> Void) async {
    nonisolated(unsafe) let body = body
    await withCheckedContinuation { done in
      (queue ?? .main).async {
        body()
        done.resume()
      }
    }
  }

  /// Whether the caller runs on this queue.
  static func isCurrent(_ queue: DispatchQueue) -> Bool {
    // With an asynchronous `main` the main queue runs on another thread than the main one: do not compare threads.
    let mark = mark(of: queue)  // Before reading the current queue's mark: the first call sets it.
    return DispatchQueue.getSpecific(key: key) == mark
  }

  /// Whether it is the main queue; nil means that, too.
  static func isMain(_ queue: DispatchQueue?) -> Bool { queue.map { mark(of: $0) == mark(of: .main) } ?? true }

  /// Identifier of a queue, set once. On Linux every `DispatchQueue.main` is a new object around the same queue; a mark
  /// made by each call could be another thread's by the time it was read.
  private static func mark(of queue: DispatchQueue) -> UUID {
    marking.lock()
    defer { marking.unlock() }
    if let mark = queue.getSpecific(key: key) { return mark }
    let mark = UUID()
    queue.setSpecific(key: key, value: mark)
    return mark
  }
}
