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
