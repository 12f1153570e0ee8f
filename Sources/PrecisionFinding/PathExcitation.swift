import Estimator
import Foundation
import Geometry
import LeastSquares
import Ranging

/// Excitation of the path since a posterior started: displacement off any plane, and off any vertical one, relative to
/// the path's drift. It resolves the ambiguity between the peer and its reflection image.
///
/// The hypotheses take the path's error for a random walk. In a level sweep, millimetres of tremor beside a centimetre
/// of lasting error would pass for a curved plane, and many ranges would resolve the side from it. The drift of another
/// tracker beside a straight walk would resolve left and right (`LateralAmbiguity`).
///
/// Motion and drift are compared over the lag at which most of the motion occurs, an eighth of a second to two. A
/// walker's bob takes half a second, in which the path drifts little. A slow hand that rises in two seconds is compared
/// with the drift of two.
package struct PathExcitation {
  /// Lags of the displacements, octaves, seconds.
  private static let lags = [0.125, 0.25, 0.5, 1, 2]

  /// Smallest range that is assumed, metres.
  private static let nearest = 0.3

  /// A position of the antenna.
  private struct AntennaPosition {
    let seconds: Double
    let position: Vector3
    /// Accumulated drift covariance of the path, m^2.
    let lost: Matrix3
  }

  /// The latest positions, over the longest lag.
  private var latest: [AntennaPosition] = []
  /// For each lag, the index in `latest` of the newest position before it.
  private var starts = [Int](repeating: 0, count: lags.count)
  private var steps = [DisplacementStatistics](repeating: DisplacementStatistics(), count: lags.count)
  /// An AoA has observed left and right, or above and below, without a path.
  private var (observesSide, observesHeight) = (false, false)
  /// At the end of the search: the probability of the upper side of the plane, and `angularScatter` of each lag.
  private var searchEnd: (upperProbability: Double, angularScatter: [Matrix3])?

  /// No path yet.
  package init() {}

  /// Adds a position of the antenna; O(1) on average.
  ///
  /// - Parameters:
  ///   - position: in the world, metres.
  ///   - seconds: since the previous position.
  ///   - drift: of the path since then.
  ///   - range: measured there, metres.
  ///   - observesSide, observesHeight: an AoA came with the range, and it observes above and below.
  package mutating func add(
    _ position: Vector3, seconds: Double, drift: AccumulatedDrift, range: Double, observesSide: Bool = false,
    observesHeight: Bool
  ) {
    self.observesSide = self.observesSide || observesSide
    self.observesHeight = self.observesHeight || observesHeight
    let before = latest.last
    let now = AntennaPosition(
      seconds: (before?.seconds ?? 0) + seconds, position: position, lost: (before?.lost ?? .zero) + drift.position)
    latest.append(now)
    for i in Self.lags.indices {
      let limit = now.seconds - Self.lags[i] + 1e-9
      guard latest[0].seconds <= limit else { continue }
      while latest[starts[i] + 1].seconds <= limit { starts[i] += 1 }
      let then = latest[starts[i]]
      // After a pause of the radio the previous position is too far back for this lag.
      guard limit - then.seconds < Self.lags[i] else { continue }
      steps[i].add(now.position - then.position, lost: now.lost - then.lost, range: max(range, Self.nearest))
    }
    forget()
  }

  /// The AoA were rejected.
  package mutating func forgetAoA() { (observesSide, observesHeight) = (false, false) }

  /// Drops positions that no lag needs any more.
  private mutating func forget() {
    let unused = starts[Self.lags.count - 1]
    guard unused > 64 else { return }
    latest.removeFirst(unused)
    starts = starts.map { max($0 - unused, 0) }
  }

  /// The statistics of the shortest lag with at least half of the greatest mean square along its `normal`; nil where
  /// there are none.
  private func excitedSteps(_ normal: (DisplacementStatistics) -> Vector3) -> DisplacementStatistics? {
    let spreads = steps.map { $0.spread(along: normal($0)) }
    guard let greatest = spreads.max(), greatest > 0 else { return nil }
    return zip(steps, spreads).first { $1 >= 0.5 * greatest }?.0
  }

  /// Probability that the path's error reverses its displacement off the plane: `Phi(-d / s)`, with the rms
  /// displacement `d` and the rms drift `s` off the plane. 0...0.5; 0 where the path is known.
  package var pathErrorProbability: Double {
    guard !observesHeight, isKnownPoorly else { return 0 }
    guard let steps = excitedSteps(\.normal) else { return 0.5 }
    return NormalDistribution.cumulative(-1 / steps.error(along: steps.normal).squareRoot())
  }

  private var isKnownPoorly: Bool { latest.last.map { $0.lost.trace > 0 } ?? false }

  /// A reliability above this changes the probability of the wrong side by a seventh of itself at most; the update of
  /// the posterior is saved.
  private static let reliable = 0.99

  /// The left/right ambiguity of the path; nil where an AoA has observed the side, where the path is known well, or
  /// there is none yet.
  package var lateralAmbiguity: LateralAmbiguity? {
    guard !observesSide, isKnownPoorly, let here = latest.last, let steps = excitedSteps(\.sideways) else { return nil }
    let normal = steps.sideways
    let reliability = max(1 - steps.error(along: normal), 0)
    guard reliability < Self.reliable else { return nil }
    return LateralAmbiguity(plane: ReflectionPlane(point: here.position, normal: normal), reliability: reliability)
  }

  /// The ambiguity about the plane of the path; nil where an AoA has observed the side, or there is no path yet.
  ///
  /// For a peer `h` metres off the plane and its image, ranges `r` measured `x` metres off it differ by `2 h x / r`.
  /// With noise variance `v` the mean log odds of the side are `I = 2 h^2 sum (x / r)^2 / v`. Displacements `s` between
  /// extremes are `2 x`, so `I = h^2 sum (s / r)^2 / 2 v`: at least half of the truth for any motion, at the lag where
  /// it is largest. Of the coloured noise, the part that has decorrelated over the lag counts.
  ///
  /// - Parameter noise: of the link.
  package func verticalAmbiguity(noise: RangeNoise) -> VerticalAmbiguity? {
    guard !observesHeight, let here = latest.last else { return nil }
    let normal = excitedSteps(\.normal)?.normal ?? Vector3(0, 0, 1)
    let searched = searchEnd?.angularScatter ?? steps.map(\.angularScatter)
    return VerticalAmbiguity(
      plane: ReflectionPlane(point: here.position, normal: normal), pathErrorProbability: pathErrorProbability,
      expectedInformation: information(from: searched, along: normal, noise),
      tracking: searchEnd.map {
        .init(
          upperProbability: $0.upperProbability,
          expectedInformation: information(
            from: zip(steps, $0.angularScatter).map { $0.angularScatter - $1 }, along: normal, noise))
      })
  }

  private func information(from angularScatters: [Matrix3], along normal: Vector3, _ noise: RangeNoise) -> Double {
    var most = 0.0
    for ((lag, steps), angularScatter) in zip(zip(Self.lags, steps), angularScatters) where steps.count > 0 {
      let forgotten = 1 - noise.memory(after: lag, metres: (steps.scatter.trace / steps.count).squareRoot())
      let variance = noise.white * noise.white + forgotten * noise.coloured * noise.coloured
      most = max(most, angularScatter.form(normal, normal) / (2 * variance))
    }
    return most
  }

  /// Ends the search: records the probability of the sides at the first augmentation of the filter.
  package mutating func endSearch(_ gaussians: [PositionGaussian], noise: RangeNoise) {
    guard searchEnd == nil, let verticalAmbiguity = verticalAmbiguity(noise: noise) else { return }
    searchEnd = (verticalAmbiguity.plane.upperProbability(of: gaussians), steps.map(\.angularScatter))
  }
}
