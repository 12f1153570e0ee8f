import Geometry
import SensorData

/// The most recent inertial samples in time order, interpolated at any time between them.
package struct IMUBuffer: Sendable {
  /// The samples, oldest first, times strictly increasing.
  package private(set) var samples: [IMUSample] = []

  private var gyroscope = SaturationDetector(smallestRange: 2)  // 125 degrees/s
  private var accelerometer = SaturationDetector(smallestRange: 19)  // 2 g
  /// Times of saturated samples, in time order.
  private var saturatedRates: [Timestamp] = [], saturatedForces: [Timestamp] = []

  /// Empty.
  package init() {}

  /// Appends a sample. False, and ignored, if it is not newer than the last or not finite.
  package mutating func add(_ sample: IMUSample) -> Bool {
    guard sample.angularVelocity.isFinite, sample.specificForce.isFinite else { return false }
    if let last = samples.last, sample.timestamp <= last.timestamp { return false }
    samples.append(sample)
    saturatedRates += samples.suffix(gyroscope.count(sample.angularVelocity)).map(\.timestamp)
    saturatedForces += samples.suffix(accelerometer.count(sample.specificForce)).map(\.timestamp)
    return true
  }

  /// Discards the samples before `time`, except one sample at or before it. Amortised O(1): discards in batches of at
  /// least 256.
  package mutating func forget(before time: Timestamp) {
    let first = lowerIndex(time) ?? 0
    guard first >= 256 else { return }
    samples.removeFirst(first)
    saturatedRates.removeAll { $0 < samples[0].timestamp }
    saturatedForces.removeAll { $0 < samples[0].timestamp }
  }

  /// Range limit of each sensor, rad/s and m/s^2, if a sample used between `start` and `end` was saturated there, so
  /// that the true value is unknown. 0 if none was.
  package func saturation(from start: Timestamp, to end: Timestamp) -> (rate: Double, force: Double) {
    guard !(saturatedRates.isEmpty && saturatedForces.isEmpty) else { return (0, 0) }
    let first = samples[lowerIndex(start) ?? 0].timestamp
    let last = samples[min(firstIndex { $0 >= end }, samples.count - 1)].timestamp
    func touches(_ times: [Timestamp]) -> Bool { times.contains { $0 >= first && $0 <= last } }
    return (
      touches(saturatedRates) ? gyroscope.rangeLimit ?? 0 : 0,
      touches(saturatedForces) ? accelerometer.rangeLimit ?? 0 : 0
    )
  }

  /// Longest time without a sample between two moments, seconds. The samples next to the interval count.
  package func longestGap(from start: Timestamp, to end: Timestamp) -> Double {
    var last = lowerIndex(start).map { samples[$0].timestamp } ?? start
    var longest = 0.0
    for sample in samples[firstIndex { $0 > start }...] {
      longest = max(longest, sample.timestamp.seconds(since: last))
      last = sample.timestamp
      if last >= end { return longest }
    }
    return max(longest, end.seconds(since: last))
  }

  /// The sample at `time`, interpolated linearly; beyond the ends the nearest sample; nil when empty.
  package func sample(at time: Timestamp) -> IMUSample? {
    guard let last = samples.last else { return nil }
    guard let below = lowerIndex(time) else { return samples[0].moved(to: time) }
    guard below + 1 < samples.count else { return last.moved(to: time) }
    let (a, b) = (samples[below], samples[below + 1])
    let fraction = time.seconds(since: a.timestamp) / b.timestamp.seconds(since: a.timestamp)
    return IMUSample(
      timestamp: time,
      angularVelocity: a.angularVelocity + (b.angularVelocity - a.angularVelocity) * fraction,
      specificForce: a.specificForce + (b.specificForce - a.specificForce) * fraction)
  }

  /// The samples strictly between two moments.
  package func samples(after start: Timestamp, before end: Timestamp) -> ArraySlice<IMUSample> {
    let first = firstIndex { $0 > start }
    let last = firstIndex { $0 >= end }
    return first < last ? samples[first..<last] : []
  }

  /// Spacing of the two samples around the middle of the interval, seconds; after the last sample, from it to the end.
  package func spacing(from start: Timestamp, to end: Timestamp) -> Double {
    let middle = Timestamp(nanoseconds: start.nanoseconds + (end.nanoseconds - start.nanoseconds) / 2)
    guard let below = lowerIndex(middle) else { return samples.first.map { $0.timestamp.seconds(since: middle) } ?? 0 }
    let upper = below + 1 < samples.count ? samples[below + 1].timestamp : end
    return upper.seconds(since: samples[below].timestamp)
  }

  /// Index of the last sample at or before `time`.
  private func lowerIndex(_ time: Timestamp) -> Int? {
    let index = firstIndex { $0 > time }
    return index == 0 ? nil : index - 1
  }

  private func firstIndex(where matches: (Timestamp) -> Bool) -> Int {
    samples.partitioningIndex { matches($0.timestamp) }
  }
}

extension IMUSample {
  fileprivate func moved(to time: Timestamp) -> IMUSample {
    IMUSample(timestamp: time, angularVelocity: angularVelocity, specificForce: specificForce)
  }
}

/// Subdivision of time for integration.
extension IMUBuffer {
  /// Ends of the integration steps after `start`, up to and including `end`: the samples, and in gaps every 10 ms (in
  /// gaps above ten seconds, a thousandth of the gap). Rate and force are constant within a step.
  package func stops(from start: Timestamp, to end: Timestamp) -> [Timestamp] {
    var stops: [Timestamp] = []
    var here = start
    for there in samples(after: start, before: end).map(\.timestamp) + [end] {
      let span = there.seconds(since: here)
      if span > InertialNoise.denseSpacing {
        let parts = Int(min((span / 0.01).rounded(.up), 1000))
        for part in 1..<max(parts, 1) { stops.append(here.advanced(bySeconds: span * Double(part) / Double(parts))) }
      }
      stops.append(there)
      here = there
    }
    return stops
  }
}

/// Detects saturated readings of a three-axis sensor. Calibrations do not state the range. A saturated reading is
/// recognised as large, equal to the previous one, and never exceeded.
package struct SaturationDetector: Equatable, Sendable {
  /// Smallest range considered: repeated readings below it are a stationary sensor with coarse quantisation.
  private let smallestRange: Double
  private var last = Vector3.zero
  private var largest = 0.0
  /// The detected range limit in the unit of the readings; nil until detected.
  package private(set) var rangeLimit: Double?

  /// - Parameter smallestRange: smallest range of sensors on the market, in the unit of the readings.
  package init(smallestRange: Double) { self.smallestRange = smallestRange }

  /// Processes the next reading.
  ///
  /// - Returns: how many of the newest readings are saturated: 2 when the limit is detected, since the previous reading
  ///   was saturated too; then 1 for each saturated reading, else 0.
  package mutating func count(_ reading: Vector3) -> Int {
    defer { last = reading }
    var saturated = 0
    for axis in 0..<3 {
      let size = abs(reading[axis])
      guard size >= smallestRange else { continue }
      if size > largest { (largest, rangeLimit) = (size, nil) }
      if size == rangeLimit {
        saturated = max(saturated, 1)
      } else if size == largest, reading[axis] == last[axis] {
        rangeLimit = size
        saturated = 2
      }
    }
    return saturated
  }
}
