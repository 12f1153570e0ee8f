import Foundation

/// A smoothed distance for display: first-order low-pass filter at irregular times.
///
/// `y += (1 - exp(-dt / tau)) (x - y)`; after silence longer than `staleness` it restarts. A pure state machine;
/// seconds of the caller's clock.
public struct DistanceSmoother: Equatable, Sendable {
  /// Time constant tau, seconds; not positive: no smoothing.
  public var timeConstant: Double
  /// Without a value for longer than this the next one counts alone, seconds.
  public var staleness: Double
  private var last: Double?
  private var lastTime = 0.0

  /// Without a value yet.
  public init(timeConstant: Double = 0.5, staleness: Double = 2) {
    self.timeConstant = timeConstant
    self.staleness = staleness
  }

  /// Updates with a measured distance, metres, and returns the one to show; nil when there is none, or only a stale
  /// one.
  public mutating func update(_ distance: Double?, at time: Double) -> Double? {
    guard let distance, distance.isFinite else { return value(at: time) }
    if let shown = value(at: time), timeConstant > 0 {
      last = shown + (1 - exp(-max(0, time - lastTime) / timeConstant)) * (distance - shown)
      lastTime = max(time, lastTime)
    } else {
      (last, lastTime) = (distance, time)
    }
    return last
  }

  /// The distance to show at a time; nil when it is stale.
  public func value(at time: Double) -> Double? { time - lastTime <= staleness ? last : nil }
}
