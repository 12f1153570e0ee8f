import Foundation
import SensorData

/// Whether stamps, read as nanoseconds, give a rate that a sensor of this kind can have.
package struct StampRateMonitor {
  /// Rows that are looked at.
  static let count = 40

  private var last: Timestamp?
  private var gaps: [Double] = []
  /// The median rate, Hz, once enough rows came.
  private(set) var rate: Double?

  /// Takes a stamp in; true when the rate has just become known.
  mutating func append(_ time: Timestamp) -> Bool {
    defer { last = time }
    guard rate == nil, let last else { return false }
    let gap = time.seconds(since: last)
    if gap > 0 { gaps.append(gap) }
    guard gaps.count >= Self.count else { return false }
    let sorted = gaps.sorted()
    rate = 1 / sorted[sorted.count / 2]
    return true
  }

  /// The unit in which stamps of such a rate would make sense; nil where the rate is possible.
  package static func unit(of rate: Double, sensor: String) -> String? {
    let possible: ClosedRange<Double> =
      switch sensor.split(separator: " ").first {
      case "imu0": 8...20_000
      case "uwb0": 0.01...20_000
      case "odometry0": 0.2...10_000
      default: 0.2...2_000
      }
    guard !possible.contains(rate) else { return nil }
    if rate > possible.upperBound {
      return rate > 1e10 ? "seconds" : rate > 1e7 ? "milliseconds" : "microseconds"
    }
    return "a finer unit than nanoseconds"
  }
}
