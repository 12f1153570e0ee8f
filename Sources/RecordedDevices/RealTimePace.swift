import Foundation

/// Waits until the world's time is the wall clock's, for `World.play(pace:)`: the order and content of callbacks stay the
/// same as at full speed.
public struct RealTimePace: Sendable {
  private let begin = ContinuousClock.now
  private let speed: Double

  /// Real time, or `speed` times as fast; a speed that is not positive does not wait at all.
  public init(speed: Double = 1) { self.speed = speed }

  /// Waits until `seconds` after this pace was made.
  public func callAsFunction(_ seconds: Double) {
    guard speed > 0, seconds.isFinite else { return }
    let wait = begin.advanced(by: .seconds(seconds / speed)) - ContinuousClock.now
    guard wait > .zero else { return }
    Thread.sleep(forTimeInterval: Double(wait.components.seconds) + Double(wait.components.attoseconds) / 1e18)
  }
}
