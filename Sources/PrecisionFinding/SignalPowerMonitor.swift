import Foundation
import SensorData

/// Watches whether the received power of a link is near what a receiver needs: a pure state machine over what the radio tells.
package struct SignalPowerMonitor {
  /// What is told is smoothed over so many seconds.
  private static let memory = 2.0
  /// A weak link is weak until its power is so far above the limit, dB.
  private static let margin = 3.0

  /// dBm.
  private let limit: Double
  private var newest: Timestamp?
  /// Smoothed, dBm; nil while the radio has told none.
  package private(set) var power: Double?
  /// Whether that is too little. A radio that tells no power is never weak by it.
  package private(set) var isWeak = false

  /// - Parameter limit: power below which a link is weak, dBm.
  package init(limit: Double) { self.limit = limit }

  /// Takes what came with a range: the first path's power, for that is what a distance rests on, else all paths' together; nothing
  /// where neither is told.
  package mutating func take(_ range: RangeMeasurement) {
    guard let told = range.firstPathPower ?? range.rssi else { return }
    let seconds = newest.map { max(range.timestamp.seconds(since: $0), 0) } ?? 0
    newest = range.timestamp
    let smoothed = power.map { $0 - expm1(-seconds / Self.memory) * (told - $0) } ?? told
    power = smoothed
    isWeak = smoothed < limit + (isWeak ? Self.margin : 0)
  }
}
