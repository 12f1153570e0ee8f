import Geometry
import SensorData

/// Brings separate gyroscope and accelerometer readings together: one sample for each reading of the gyroscope, the
/// specific force linearly between its neighbours. Readings of either sensor come in order of time.
struct InertialMerger {
  private struct Reading {
    var time: Int64
    var value: Vector3
  }

  /// Across a longer gap of the accelerometer nothing is interpolated, nanoseconds.
  private static let longestGap: Int64 = 100_000_000
  /// Readings of one sensor kept while the other is silent.
  private static let most = 100_000

  private var gyroscope: [Reading] = []
  private var accelerometer: [Reading] = []
  private var head = 0
  /// Readings of the gyroscope.
  private(set) var readings = 0
  /// Gyroscope readings without a specific force near them.
  private(set) var unpaired = 0

  /// Adds a reading of the gyroscope, rad/s.
  mutating func add(gyroscope value: Vector3, at time: Int64) {
    readings += 1
    gyroscope.append(Reading(time: time, value: value))
    if gyroscope.count - head > Self.most {
      head += 1
      unpaired += 1
    }
  }

  /// Adds a reading of the accelerometer, m/s^2.
  mutating func add(accelerometer value: Vector3, at time: Int64) {
    if let last = accelerometer.last, time <= last.time { return }
    accelerometer.append(Reading(time: time, value: value))
    if accelerometer.count >= 2 * Self.most { accelerometer.removeFirst(Self.most) }
  }

  /// The samples that are complete by now, in order.
  mutating func take() -> [IMUSample] {
    var samples: [IMUSample] = []
    var before = 0
    while head < gyroscope.count, let last = accelerometer.last, gyroscope[head].time <= last.time {
      let reading = gyroscope[head]
      head += 1
      while before + 1 < accelerometer.count, accelerometer[before + 1].time <= reading.time { before += 1 }
      let a = accelerometer[before]
      if a.time == reading.time {
        samples.append(sample(reading, a.value))
      } else if a.time < reading.time, before + 1 < accelerometer.count,
        accelerometer[before + 1].time - a.time <= Self.longestGap
      {
        let b = accelerometer[before + 1]
        let fraction = Double(reading.time - a.time) / Double(b.time - a.time)
        samples.append(sample(reading, a.value + (b.value - a.value) * fraction))
      } else {
        unpaired += 1
      }
    }
    accelerometer.removeFirst(before)
    if head > 1024 {
      gyroscope.removeFirst(head)
      head = 0
    }
    return samples
  }

  /// How many readings of the gyroscope wait for the accelerometer.
  var waiting: Int { gyroscope.count - head }

  private func sample(_ reading: Reading, _ force: Vector3) -> IMUSample {
    IMUSample(
      timestamp: Timestamp(nanoseconds: reading.time), angularVelocity: reading.value, specificForce: force)
  }
}
