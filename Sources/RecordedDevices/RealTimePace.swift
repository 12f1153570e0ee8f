import Foundation

/// Waits until the wall clock reaches the world's time, for `World.play(pace:)`: `play(pace: pace.wait)`. Order and
/// content of callbacks are the same as at full speed.
public struct RealTimePace: Sendable {
  private let begin = ContinuousClock.now
  private let speed: Double

  /// Real time, or `speed` times as fast; a speed that is not positive does not wait at all.
  public init(speed: Double = 1) { self.speed = speed }

  /// Waits until `seconds` of the world after the initialisation of this pace. On the main thread the main queue's work
  /// is run meanwhile.
  public func wait(until seconds: Double) {
    while let left = left(until: seconds) {
      if Thread.isMainThread {
        let until = Date(timeIntervalSinceNow: left)
        // Without anything to wait for the run loop returns at once.
        if !RunLoop.main.run(mode: .default, before: until) { Thread.sleep(forTimeInterval: min(left, 0.005)) }
      } else {
        Thread.sleep(forTimeInterval: left)
      }
    }
  }

  /// Waits without blocking a thread, for `await play(pace:)`.
  public func wait(until seconds: Double) async {
    if let left = left(until: seconds) { try? await Task.sleep(for: .seconds(left)) }
  }

  /// The same as `wait(until:)`.
  public func callAsFunction(_ seconds: Double) { wait(until: seconds) }

  /// Seconds to wait; nil for none.
  private func left(until seconds: Double) -> Double? {
    guard speed > 0, seconds.isFinite else { return nil }
    let wait = begin.advanced(by: .seconds(seconds / speed)) - ContinuousClock.now
    guard wait > .zero else { return nil }
    return Double(wait.components.seconds) + Double(wait.components.attoseconds) / 1e18
  }
}
