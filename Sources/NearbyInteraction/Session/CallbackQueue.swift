import Dispatch
import Foundation

/// Calls back on a queue and waits for it: what the app does in a callback is done before the device's next moment. That
/// makes a replay the same every time, at any speed.
enum CallbackQueue {
  private static let key = DispatchSpecificKey<ObjectIdentifier>()

  /// Runs `body` on `queue`, nil meaning the main queue; at once where that is the queue we are on.
  static func run(on queue: DispatchQueue?, _ body: () -> Void) {
    guard let queue, queue !== DispatchQueue.main else {
      return Thread.isMainThread ? body() : DispatchQueue.main.sync(execute: body)
    }
    let name = ObjectIdentifier(queue)
    if DispatchQueue.getSpecific(key: key) == name { return body() }
    queue.setSpecific(key: key, value: name)
    queue.sync(execute: body)
  }
}
