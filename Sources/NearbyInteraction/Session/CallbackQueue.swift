import Dispatch
import Foundation

/// Calls back on a queue and waits for it: the app's work in a callback ends before the device's next event. That makes
/// a replay deterministic at any speed.
package enum CallbackQueue {
  private static let key = DispatchSpecificKey<UUID>()
  private static let marking = NSLock()

  /// Runs `body` on `queue`, nil meaning the main queue; inline when called on that queue.
  package static func run(on queue: DispatchQueue?, _ body: () -> Void) {
    let queue = queue ?? .main
    // With an asynchronous `main` the main queue runs on another thread than the main one: do not compare threads.
    let mark = mark(of: queue)  // Before reading the current queue's mark: the first call sets it.
    if DispatchQueue.getSpecific(key: key) == mark { return body() }
    queue.sync(execute: body)
  }

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
