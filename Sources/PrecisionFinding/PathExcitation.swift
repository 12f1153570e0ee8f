import Estimator
import Foundation
import Geometry
import Ranging

/// How far the device has moved off any plane, and off any upright one, since a posterior began, beside how well its path is known: that
/// tells the peer from its mirror image behind the plane.
///
/// The hypotheses take the path's error for a random walk. While a hand sweeps level, a few millimetres of tremor and a centimetre
/// of error, lasting and alike in all ranges, would pass for a plane that is bent, and with many ranges for the side. What another tracker makes up
/// beside a straight walk would pass for a way round to one side (`LateralAmbiguity`).
///
/// Motion and error are compared over the time in which most of that motion happens, an eighth of a second to two: a walker's bob rises and
/// falls within half a second, in which the path loses little; what a slow hand climbs in two must show beside what it loses in two.
package struct PathExcitation {
  /// Times over which displacements are looked at, octaves, seconds.
  private static let lags = [0.125, 0.25, 0.5, 1, 2]

  /// Nearer than this no range is thought to be, metres.
  private static let nearest = 0.3

  /// A place of the antenna.
  private struct Place {
    let seconds: Double
    let position: Vector3
    /// What the path has lost until here, a sum of covariances, m^2.
    let lost: Matrix3
  }

  /// The latest places, over the longest lag.
  private var latest: [Place] = []
  /// Of each lag, where the newest place before it is among the latest.
  private var starts = [Int](repeating: 0, count: lags.count)
  private var steps = [DisplacementStatistics](repeating: DisplacementStatistics(), count: lags.count)
  /// An angle of arrival has been taken that tells left from right, or above from below, without a path.
  private var (observesSide, observesHeight) = (false, false)
  /// When the search ended: the share of the hypotheses on the upper side of the plane, and `turning` of each lag.
  private var search: (share: Double, turning: [Matrix3])?

  /// No path yet.
  package init() {}

  /// Takes a place of the antenna in; time O(1) on average.
  ///
  /// - Parameters:
  ///   - place: in the world, metres.
  ///   - seconds: since the place before.
  ///   - drift: what the path lost meanwhile.
  ///   - range: what was measured there, metres.
  ///   - observesSide, observesHeight: an angle of arrival came with the range, and it tells above from below.
  package mutating func note(
    _ place: Vector3, seconds: Double, drift: AccumulatedDrift, range: Double, observesSide: Bool = false,
    observesHeight: Bool
  ) {
    self.observesSide = self.observesSide || observesSide
    self.observesHeight = self.observesHeight || observesHeight
    let before = latest.last
    let now = Place(
      seconds: (before?.seconds ?? 0) + seconds, position: place, lost: (before?.lost ?? .zero) + drift.position)
    latest.append(now)
    for i in Self.lags.indices {
      let limit = now.seconds - Self.lags[i] + 1e-9
      guard latest[0].seconds <= limit else { continue }
      while latest[starts[i] + 1].seconds <= limit { starts[i] += 1 }
      let then = latest[starts[i]]
      // After a pause of the radio the nearest place before is far back: no step of this lag.
      guard limit - then.seconds < Self.lags[i] else { continue }
      steps[i].add(now.position - then.position, lost: now.lost - then.lost, range: max(range, Self.nearest))
    }
    forget()
  }

  /// The angles of arrival are no longer believed.
  package mutating func forgetAngles() { (observesSide, observesHeight) = (false, false) }

  /// Drops places no lag will ask for any more.
  private mutating func forget() {
    let unused = starts[Self.lags.count - 1]
    guard unused > 64 else { return }
    latest.removeFirst(unused)
    starts = starts.map { max($0 - unused, 0) }
  }

  /// Which steps are looked at for a side: of the first lag with half of the greatest mean square along their `normal`; nil where there are none.
  private func telling(_ normal: (DisplacementStatistics) -> Vector3) -> DisplacementStatistics? {
    let spreads = steps.map { $0.spread(along: normal($0)) }
    guard let greatest = spreads.max(), greatest > 0 else { return nil }
    return zip(steps, spreads).first { $1 >= 0.5 * greatest }?.0
  }

  /// Probability that the path's own error has a step on the wrong side of its plane where that tells the peer's side: `Phi(-d / s)` with
  /// the rms `d` of the steps off the plane and the rms `s` of what the path errs by meanwhile off the same plane. 0...0.5; where the path is
  /// known, 0.
  package var pathErrorShare: Double {
    guard !observesHeight, isKnownPoorly else { return 0 }
    guard let steps = telling(\.normal) else { return 0.5 }
    return AngleMarginal.cdf(-1 / steps.error(along: steps.normal).squareRoot())
  }

  private var isKnownPoorly: Bool { latest.last.map { $0.lost.trace > 0 } ?? false }

  /// More of the motion aside than this is real: the odds of a side to this power change the share of the wrong one by a seventh of itself at most,
  /// and what a belief costs is saved.
  private static let reliable = 0.99

  /// The upright mirror along a way that is told as it was measured; nil where an angle of arrival has told the side, where the path is known well, or
  /// there is none yet.
  package var lateralAmbiguity: LateralAmbiguity? {
    guard !observesSide, isKnownPoorly, let here = latest.last, let steps = telling(\.sideways) else { return nil }
    let normal = steps.sideways
    let reliability = max(1 - steps.error(along: normal), 0)
    guard reliability < Self.reliable else { return nil }
    return LateralAmbiguity(plane: ReflectionPlane(point: here.position, normal: normal), reliability: reliability)
  }

  /// The mirror that the path leaves; nil where an angle of arrival has told the side, or there is no path yet.
  ///
  /// Off the plane by `x`, ranges of `r` metres to two places `h` metres off it on either side differ by `2 h x / r`: with errors of variance `v`
  /// the mean of the odds' logarithm is `I = 2 h^2 sum (x / r)^2 / v`. Steps `s` from one extreme to the other are `2 x`, and are counted as such:
  /// `I = h^2 sum (s / r)^2 / 2 v`, at least half of the truth for any motion, over the lag for which that is most. Of the coloured part of the noise
  /// what has been forgotten meanwhile counts.
  ///
  /// - Parameter noise: of the link.
  package func mirror(noise: RangeNoise) -> VerticalAmbiguity? {
    guard !observesHeight, let here = latest.last else { return nil }
    let normal = telling(\.normal)?.normal ?? Vector3(0, 0, 1)
    let searched = search?.turning ?? steps.map(\.turning)
    return VerticalAmbiguity(
      plane: ReflectionPlane(point: here.position, normal: normal), pathErrorShare: pathErrorShare,
      telling: told(by: searched, along: normal, noise),
      tracking: search.map {
        .init(
          share: $0.share,
          telling: told(by: zip(steps, $0.turning).map { $0.turning - $1 }, along: normal, noise))
      })
  }

  private func told(by turnings: [Matrix3], along normal: Vector3, _ noise: RangeNoise) -> Double {
    var most = 0.0
    for ((lag, steps), turning) in zip(zip(Self.lags, steps), turnings) where steps.count > 0 {
      let forgotten = 1 - noise.memory(after: lag, metres: (steps.scatter.trace / steps.count).squareRoot())
      let variance = noise.white * noise.white + forgotten * noise.coloured * noise.coloured
      most = max(most, turning.form(normal, normal) / (2 * variance))
    }
    return most
  }

  /// The hypotheses are handed over to the filter: what they say of the side is remembered, if it is the first time.
  package mutating func endSearch(_ gaussians: [PositionGaussian], noise: RangeNoise) {
    guard search == nil, let mirror = mirror(noise: noise) else { return }
    search = (mirror.plane.share(of: gaussians), steps.map(\.turning))
  }
}
