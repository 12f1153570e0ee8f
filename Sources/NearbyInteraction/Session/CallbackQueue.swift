import Dispatch
import Foundation

/// Calls back on a queue and waits for it: what the app does in a callback is done before the device's next moment. That
/// makes a replay the same every time, at any speed.
package enum CallbackQueue {
  private static let key = DispatchSpecificKey<UUID>()
  private static let marking = NSLock()

  /// Runs `body` on `queue`, nil meaning the main queue; at once where that is the queue we are on.
  package static func run(on queue: DispatchQueue?, _ body: () -> Void) {
    let queue = queue ?? .main
    // A program whose `main` is asynchronous serves its main queue on another thread than the main one: threads tell nothing.
    let mark = mark(of: queue)  // Before asking where we are: who comes first puts it there.
    if DispatchQueue.getSpecific(key: key) == mark { return body() }
    queue.sync(execute: body)
  }

  /// What is known of a queue by whoever runs on it. It is put there once: on Linux every `DispatchQueue.main` is another object
  /// around the same queue, and a mark that each call made anew was at times another thread's by the time it was read.
  private static func mark(of queue: DispatchQueue) -> UUID {
    marking.lock()
    defer { marking.unlock() }
    if let mark = queue.getSpecific(key: key) { return mark }
    let mark = UUID()
    queue.setSpecific(key: key, value: mark)
    return mark
  }
}
