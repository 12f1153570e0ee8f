import Dispatch
import Foundation

/// Calls back on a queue and waits for it: what the app does in a callback is done before the device's next moment. That
/// makes a replay the same every time, at any speed.
enum CallbackQueue {
  private static let key = DispatchSpecificKey<ObjectIdentifier>()

  /// Runs `body` on `queue`, nil meaning the main queue; at once where that is the queue we are on.
  static func run(on queue: DispatchQueue?, _ body: () -> Void) {
    let queue = queue ?? .main
    let name = ObjectIdentifier(queue)
    // A program whose `main` is asynchronous serves its main queue on another thread than the main one: ask for both.
    let isHere = DispatchQueue.getSpecific(key: key) == name || queue === DispatchQueue.main && Thread.isMainThread
    if isHere { return body() }
    queue.setSpecific(key: key, value: name)
    if DispatchQueue.getSpecific(key: key) == name { return body() }
    queue.sync(execute: body)
  }
}
