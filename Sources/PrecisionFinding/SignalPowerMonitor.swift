import Foundation
import SensorData

/// Monitors whether the received power of a link is near the receiver's limit: a pure state machine over the reported
/// powers.
package struct SignalPowerMonitor {
  /// Time constant of the smoothing, seconds.
  private static let memory = 2.0
  /// A weak link stays weak until its power is this much above the limit, dB.
  private static let margin = 3.0

  /// dBm.
  private let limit: Double
  private var newest: Timestamp?
  /// Smoothed, dBm; nil while the radio has reported none.
  package private(set) var power: Double?
  /// Whether the power is too low. A radio that reports no power is never weak by it.
  package private(set) var isWeak = false

  /// - Parameter limit: power below which a link is weak, dBm.
  package init(limit: Double) { self.limit = limit }

  /// Updates with the first path's power, which a distance rests on, else the total power; ignores ranges without
  /// either.
  package mutating func update(_ range: RangeMeasurement) {
    guard let reported = range.firstPathPower ?? range.rssi else { return }
    let seconds = newest.map { max(range.timestamp.seconds(since: $0), 0) } ?? 0
    newest = range.timestamp
    let smoothed = power.map { $0 - expm1(-seconds / Self.memory) * (reported - $0) } ?? reported
    power = smoothed
    isWeak = smoothed < limit + (isWeak ? Self.margin : 0)
  }
}
