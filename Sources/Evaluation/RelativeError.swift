import Geometry
import SensorData

/// How much a trajectory errs over a stretch of the way: the difference of estimated and true motion between two poses.
///
/// Needs no alignment. Sources: Sturm et al., IROS 2012, doi:10.1109/IROS.2012.6385773 (by time); Geiger, Lenz, Urtasun,
/// CVPR 2012, doi:10.1109/CVPR.2012.6248074 (by length of the way).
package struct RelativeError: Equatable, Sendable {
  /// Lengths of the way that are looked at, metres.
  package static let lengths: [Double] = [1, 2, 5, 10, 20, 50]

  /// Length of the way, metres.
  package var length: Double
  /// Pairs of poses.
  package var count: Int
  /// RMS of the translation's error, metres.
  package var translation: Double
  /// RMS of the rotation's error, radians.
  package var rotation: Double

  typealias Pair = (time: Timestamp, estimate: Pose, truth: Pose)

  /// One figure per length that the way has. From every pose to the later one whose distance along the true way is nearest to
  /// the length, at most 10 % off. O(n) a length.
  static func byLength(_ pairs: [Pair]) -> [RelativeError] {
    var way = [0.0]
    for (a, b) in zip(pairs, pairs.dropFirst()) {
      way.append(way.last! + (b.truth.translation - a.truth.translation).norm)
    }
    return lengths.compactMap { length in
      var ends: [(Int, Int)] = []
      var upper = 0
      for start in pairs.indices.dropLast() {
        let target = way[start] + length
        while upper < pairs.count, way[upper] < target { upper += 1 }
        guard let end = nearest(to: target, way, after: start, upper) else { continue }
        if abs(way[end] - target) <= 0.1 * length { ends.append((start, end)) }
      }
      return RelativeError(length: length, pairs, ends)
    }
  }

  /// RMS of the translation's error, metres, from every pose to the first one at least a second later; nil without any.
  static func perSecond(_ pairs: [Pair]) -> Double? {
    var ends: [(Int, Int)] = []
    var end = 0
    for start in pairs.indices {
      while end < pairs.count, pairs[end].time.seconds(since: pairs[start].time) < 1 { end += 1 }
      guard end < pairs.count else { break }
      // Across a hole in the truth the step is longer: that is another measure, left out.
      guard pairs[end].time.seconds(since: pairs[start].time) <= 1 + TruthTrajectory.longestGap else { continue }
      ends.append((start, end))
    }
    return RelativeError(length: 0, pairs, ends)?.translation
  }

  private init?(length: Double, _ pairs: [Pair], _ ends: [(Int, Int)]) {
    guard !ends.isEmpty else { return nil }
    var (translation, rotation) = (0.0, 0.0)
    for (a, b) in ends {
      let estimated = pairs[a].estimate.inverse * pairs[b].estimate
      let error = (pairs[a].truth.inverse * pairs[b].truth).inverse * estimated
      translation += error.translation.squaredNorm
      rotation += error.rotation.log.squaredNorm
    }
    self.length = length
    count = ends.count
    self.translation = (translation / Double(count)).squareRoot()
    self.rotation = (rotation / Double(count)).squareRoot()
  }

  /// The place after `start` that is nearest to `target`, the earliest of equals; `upper` is the first not below it.
  private static func nearest(to target: Double, _ way: [Double], after start: Int, _ upper: Int) -> Int? {
    var lower = max(upper - 1, start + 1)
    guard lower < way.count else { return nil }
    while lower > start + 1, way[lower - 1] == way[lower] { lower -= 1 }
    guard upper < way.count, upper > lower else { return lower }
    return abs(way[lower] - target) <= abs(way[upper] - target) ? lower : upper
  }
}
