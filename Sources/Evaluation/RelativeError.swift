import Geometry
import SensorData

/// Relative pose error: the difference of estimated and true motion between two poses.
///
/// Needs no alignment. Sources: Sturm et al., IROS 2012, doi:10.1109/IROS.2012.6385773 (by time); Geiger, Lenz,
/// Urtasun, CVPR 2012, doi:10.1109/CVPR.2012.6248074 (by path length).
package struct RelativeError: Equatable, Sendable {
  /// Evaluated path lengths, metres.
  package static let lengths: [Double] = [1, 2, 5, 10, 20, 50]

  /// Path length, metres.
  package var length: Double
  /// Pairs of poses.
  package var count: Int
  /// RMS of the translation's error, metres.
  package var translation: Double
  /// RMS of the rotation's error, radians.
  package var rotation: Double

  typealias Pair = (time: Timestamp, estimate: Pose, truth: Pose, world: Int)

  /// One error per length that the path reaches. Each pose is paired with the later one whose true path length from it
  /// is nearest to the length, within 10 %. O(n) per length.
  static func byLength(_ pairs: [Pair]) -> [RelativeError] {
    var travelled = [0.0]
    for (a, b) in zip(pairs, pairs.dropFirst()) {
      travelled.append(travelled.last! + (b.truth.translation - a.truth.translation).norm)
    }
    return lengths.compactMap { length in
      var ends: [(Int, Int)] = []
      var upper = 0
      for start in pairs.indices.dropLast() {
        let target = travelled[start] + length
        while upper < pairs.count, travelled[upper] < target { upper += 1 }
        guard let end = nearest(to: target, travelled, after: start, upper) else { continue }
        // No motion leads from one world to another.
        guard pairs[start].world == pairs[end].world else { continue }
        if abs(travelled[end] - target) <= 0.1 * length { ends.append((start, end)) }
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
      // Steps across a gap in the ground truth are longer than a second: left out.
      guard pairs[end].time.seconds(since: pairs[start].time) <= 1 + TruthTrajectory.longestGap else { continue }
      if pairs[start].world == pairs[end].world { ends.append((start, end)) }
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

  /// The index after `start` nearest to `target`, the earliest of equals; `upper` is the first not below it.
  private static func nearest(to target: Double, _ travelled: [Double], after start: Int, _ upper: Int) -> Int? {
    var lower = max(upper - 1, start + 1)
    guard lower < travelled.count else { return nil }
    while lower > start + 1, travelled[lower - 1] == travelled[lower] { lower -= 1 }
    guard upper < travelled.count, upper > lower else { return lower }
    return abs(travelled[lower] - target) <= abs(travelled[upper] - target) ? lower : upper
  }
}
