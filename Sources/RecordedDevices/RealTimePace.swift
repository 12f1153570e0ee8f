import Foundation

/// Waits until the wall clock reaches the world's time, for `World.play(pace:)`. Order and content of callbacks are the
/// same as at full speed.
public struct RealTimePace: Sendable {
  private let begin = ContinuousClock.now
  private let speed: Double

  /// Real time, or `speed` times as fast; a speed that is not positive does not wait at all.
  public init(speed: Double = 1) { self.speed = speed }

  /// Waits until `seconds` of the world after the initialisation of this pace.
  public func callAsFunction(_ seconds: Double) {
    guard speed > 0, seconds.isFinite else { return }
    let wait = begin.advanced(by: .seconds(seconds / speed)) - ContinuousClock.now
    guard wait > .zero else { return }
    Thread.sleep(forTimeInterval: Double(wait.components.seconds) + Double(wait.components.attoseconds) / 1e18)
  }
}
