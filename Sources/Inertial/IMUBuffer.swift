import Geometry
import SensorData

/// The most recent inertial samples, in time order, readable at any moment between them.
package struct IMUBuffer: Sendable {
  /// The samples, oldest first, times strictly increasing.
  package private(set) var samples: [IMUSample] = []

  /// Empty.
  package init() {}

  /// Takes a sample. False for one that is not newer than the last, or not finite: it is then ignored.
  package mutating func add(_ sample: IMUSample) -> Bool {
    guard sample.angularVelocity.isFinite, sample.specificForce.isFinite else { return false }
    if let last = samples.last, sample.timestamp <= last.timestamp { return false }
    samples.append(sample)
    return true
  }

  /// Forgets what lies before `time`, but for one sample at or before it. Amortised O(1): it waits until much is old.
  package mutating func forget(before time: Timestamp) {
    let first = lowerIndex(time) ?? 0
    if first >= 256 { samples.removeFirst(first) }
  }

  /// The sample at `time`: interpolated between neighbours; beyond the ends the nearest one; nil when empty.
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

  /// Distance in time, seconds, between the two samples that enclose the middle of a stretch, or from it to the last.
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

  private func firstIndex(where belongs: (Timestamp) -> Bool) -> Int {
    var low = 0, high = samples.count
    while low < high {
      let middle = (low + high) / 2
      if belongs(samples[middle].timestamp) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

extension IMUSample {
  fileprivate func moved(to time: Timestamp) -> IMUSample {
    IMUSample(timestamp: time, angularVelocity: angularVelocity, specificForce: specificForce)
  }
}
