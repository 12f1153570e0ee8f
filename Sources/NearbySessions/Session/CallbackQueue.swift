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

/// The main queue while a world is played on the main thread: nobody else runs what apps put there.
package enum MainQueue {
  // Touched on the main thread only.
  nonisolated(unsafe) private static var servesPlayer = false

  /// Whether a player on this thread runs the main queue's work, within `whilePlaying`.
  static var isServedHere: Bool { Thread.isMainThread && servesPlayer }

  /// Plays within `body`: on the main thread the player runs the main queue's work.
  ///
  /// - Throws: `PlayingError.mainQueueIsBlocked` where the caller occupies the main queue and nobody can run it.
  static func whilePlaying<T>(_ body: () throws -> T) throws -> T {
    guard isServedHere || !CallbackQueue.isCurrent(.main) || Thread.isMainThread && canServe() else {
      throw PlayingError.mainQueueIsBlocked
    }
    return try served(Thread.isMainThread, body)
  }

  /// Makes callbacks within `body`: on the main thread the main queue's work is run where that is possible.
  static func whileCalling<T>(_ body: () -> T) -> T {
    served(Thread.isMainThread && (servesPlayer || canServe()), body)
  }

  private static func served<T>(_ isServed: Bool, _ body: () throws -> T) rethrows -> T {
    guard isServed else { return try body() }
    let before = servesPlayer
    servesPlayer = true
    defer { servesPlayer = before }
    return try body()
  }

  /// Runs what is on the main queue.
  static func serve() { serve(for: 0) }

  /// Runs what is on the main queue, and waits for it up to `seconds`.
  static func serve(for seconds: Double) {
    _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: seconds))
  }

  /// Waits until the main queue has run what is on it now; for other threads, where it runs by itself.
  static func flush() async { await CallbackQueue.run(on: .main) {} }

  /// Whether the run loop runs the main queue's work: not from within such work.
  private static func canServe() -> Bool {
    nonisolated(unsafe) var isServed = false
    DispatchQueue.main.async { isServed = true }
    // The first pass may find other sources.
    for _ in 0..<3 where !isServed { serve() }
    return isServed
  }
}

/// Why a world is not played.
public enum PlayingError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The caller blocks the main queue: what the app puts on it would wait until after the recording.
  case mainQueueIsBlocked
  /// An app ran sessions from its own `didInvalidateWith`, over and over, and each was refused with this code.
  case endlessRestart(NIError.Code)

  /// One line.
  public var description: String {
    switch self {
    case .mainQueueIsBlocked:
      "play was called on the main queue, which cannot run the app's work meanwhile: use `try await world.play()`"
    case .endlessRestart(let code):
      "sessions were run \(NearbyDevice.refusalLimit) times in a row and all refused with \(code): the app runs a "
        + "session whenever one is invalidated; it has to stop at errors that do not pass"
    }
  }
}

/// A callback that is ready to be made.
struct Delivery {
  /// The queue; nil is the main queue.
  let queue: DispatchQueue?
  /// Makes it.
  let body: () -> Void
}

/// A callback that waits in a device's mailbox. What it says is decided when it is made: the app may have paused the
/// session, or set another delegate, in between.
struct Message {
  /// The callback; nil when there is nobody to call any more.
  let delivery: () -> Delivery?
}
