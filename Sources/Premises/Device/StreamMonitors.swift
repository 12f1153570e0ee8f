import Foundation
import Geometry
import SensorData

/// Replaces inertial readings that jump beyond anything a device undergoes and come back: a damaged word on a bus.
///
/// A reading that differs from the newest accepted one by more than the limits is held back and the accepted one repeated in its
/// place, three times in a row at most: what lasts longer is motion, saturation or another unit, and is passed on.
package struct SpikeFilter {
  package init() {}

  /// m/s^2 and rad/s between neighbours.
  static let step = (force: 100.0, rate: 20.0)
  private static let longest = 3

  private var last: IMUSample?
  private var held: [IMUSample] = []
  /// Spikes replaced and confirmed by what followed.
  package private(set) var count = 0
  /// The newest confirmed spike.
  private(set) var newest: IMUSample?

  /// The sample to use in the place of this one.
  package mutating func filtered(_ sample: IMUSample) -> IMUSample {
    guard let last else {
      last = sample
      return sample
    }
    let jumps =
      (sample.specificForce - last.specificForce).norm > Self.step.force
      || (sample.angularVelocity - last.angularVelocity).norm > Self.step.rate
    guard jumps, held.count < Self.longest else {
      if jumps {
        held = []
      } else if !held.isEmpty {
        count += held.count
        newest = held.last
        held = []
      }
      self.last = sample
      return sample
    }
    held.append(sample)
    return IMUSample(
      timestamp: sample.timestamp, angularVelocity: last.angularVelocity, specificForce: last.specificForce)
  }
}

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
