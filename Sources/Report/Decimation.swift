/// Selects the samples of a long recording needed for a drawing.
///
/// Samples are split into equal bins. Each bin keeps the smallest and the largest value of every channel, so a drawn
/// line keeps its extent. The first and the last sample are always kept.
package enum Decimation {
  /// Indexes to keep, ascending, of `count` samples: all of them up to `limit`, else at most `limit` and the two ends.
  ///
  /// - Parameter channels: values by sample; nil counts as no value. O(channels x count).
  package static func kept(count: Int, limit: Int, channels: [[Double?]]) -> [Int] {
    guard count > limit else { return Array(0..<max(0, count)) }
    let bins = max(1, limit / max(1, 2 * channels.count))
    var keep = [Bool](repeating: false, count: count)
    keep[0] = true
    keep[count - 1] = true
    for bin in 0..<bins {
      let range = (bin * count / bins)..<((bin + 1) * count / bins)
      for channel in channels {
        var (least, most): (Int?, Int?) = (nil, nil)
        for index in range {
          guard let value = channel[index], value.isFinite else { continue }
          if least.map({ value < channel[$0]! }) ?? true { least = index }
          if most.map({ value > channel[$0]! }) ?? true { most = index }
        }
        for index in [least, most] { if let index { keep[index] = true } }
      }
    }
    return keep.indices.filter { keep[$0] }
  }

  /// The same for a scatter plot: three quarters evenly spaced, to keep the density, and one quarter extremes.
  package static func sampled(count: Int, limit: Int, channels: [[Double?]]) -> [Int] {
    guard count > limit else { return Array(0..<max(0, count)) }
    let even = max(1, 3 * limit / 4)
    let spaced = (0..<even).map { $0 * count / even }
    return Set(spaced + kept(count: count, limit: limit / 4, channels: channels)).sorted()
  }
}
