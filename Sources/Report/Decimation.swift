/// Picks the samples of a long recording that a drawing still needs.
///
/// Each stretch of equally many samples keeps the smallest and the largest value of every channel, so that a drawn
/// line spans what it spanned before; the first and the last sample are always kept.
package enum Decimation {
  /// Indexes to keep, ascending, of `count` samples: all of them up to `limit`, else at most `limit` and the two ends.
  ///
  /// - Parameter channels: values by sample; nil counts as no value. O(channels x count).
  package static func kept(count: Int, limit: Int, channels: [[Double?]]) -> [Int] {
    guard count > limit else { return Array(0..<max(0, count)) }
    let stretches = max(1, limit / max(1, 2 * channels.count))
    var keep = [Bool](repeating: false, count: count)
    keep[0] = true
    keep[count - 1] = true
    for stretch in 0..<stretches {
      let range = (stretch * count / stretches)..<((stretch + 1) * count / stretches)
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

  /// The same for a cloud of dots: three quarters evenly spaced, so that it looks as dense as it is, and a quarter extremes.
  package static func sampled(count: Int, limit: Int, channels: [[Double?]]) -> [Int] {
    guard count > limit else { return Array(0..<max(0, count)) }
    let even = max(1, 3 * limit / 4)
    let spaced = (0..<even).map { $0 * count / even }
    return Set(spaced + kept(count: count, limit: limit / 4, channels: channels)).sorted()
  }
}
