import Dispatch
import Foundation

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
