import Estimator
import Foundation
import Geometry
import Ranging

/// How far the device has moved off any plane since a posterior began, beside how well its path is known: that tells the
/// peer from its mirror image behind the plane.
///
/// The hypotheses take the path's error for a random walk. While a hand sweeps level, a few millimetres of tremor and a centimetre
/// of error, lasting and alike in all ranges, would pass for a plane that is bent, and with many ranges for the side.
///
/// Motion and error are compared over the time in which most of that motion happens, an eighth of a second to two: a walker's bob rises and
/// falls within half a second, in which the path loses little; what a slow hand climbs in two must show beside what it loses in two.
package struct PathAperture {
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

  /// Displacements over one lag.
  private struct Steps {
    var count = 0.0
    /// Sum of their outer products, m^2.
    var scatter = Matrix3.zero
    /// Sum of the covariances that the path lost meanwhile, m^2.
    var lost = Matrix3.zero
    /// Sum of their outer products over the squared range, 1.
    var turning = Matrix3.zero
    /// Where the newest place before it is among the latest.
    var start = 0

    /// Unit normal of the plane that explains the vertical part of the steps by their horizontal part as well as a plane can; the vertical where
    /// there are too few.
    var normal: Vector3 {
      let up = Vector3(0, 0, 1)
      guard let inverse = (scatter + 1e-9 * max(scatter.trace, 1e-9) * Matrix3.identity).inverse else { return up }
      return (inverse * up).normalized
    }

    /// Mean square off that plane, m^2.
    var spread: Double { count > 0 ? max(scatter.form(normal, normal), 0) / count : 0 }
  }

  /// The latest places, over the longest lag.
  private var latest: [Place] = []
  private var steps = [Steps](repeating: Steps(), count: lags.count)
  /// An angle of arrival has been taken that tells the side without a path.
  private var tellsHeight = false
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
  ///   - tellsHeight: an angle of arrival that tells above from below came with the range.
  package mutating func note(
    _ place: Vector3, seconds: Double, drift: AccumulatedDrift, range: Double, tellsHeight: Bool
  ) {
    self.tellsHeight = self.tellsHeight || tellsHeight
    let before = latest.last
    let now = Place(
      seconds: (before?.seconds ?? 0) + seconds, position: place, lost: (before?.lost ?? .zero) + drift.position)
    latest.append(now)
    for i in Self.lags.indices {
      let limit = now.seconds - Self.lags[i] + 1e-9
      guard latest[0].seconds <= limit else { continue }
      while latest[steps[i].start + 1].seconds <= limit { steps[i].start += 1 }
      let then = latest[steps[i].start]
      // After a pause of the radio the nearest place before is far back: no step of this lag.
      guard limit - then.seconds < Self.lags[i] else { continue }
      let step = now.position - then.position
      steps[i].count += 1
      steps[i].scatter += Matrix3(outer: step, step)
      steps[i].turning += 1 / max(range * range, Self.nearest * Self.nearest) * Matrix3(outer: step, step)
      steps[i].lost += now.lost - then.lost
    }
    forget()
  }

  /// The angles of arrival are no longer believed.
  package mutating func forgetAngles() { tellsHeight = false }

  /// Drops places no lag will ask for any more.
  private mutating func forget() {
    let unused = steps[Self.lags.count - 1].start
    guard unused > 64 else { return }
    latest.removeFirst(unused)
    for i in steps.indices { steps[i].start = max(steps[i].start - unused, 0) }
  }

  /// Which steps are looked at for the side: of the first lag with half of the greatest mean square off the plane; nil where there are none.
  private var telling: Steps? {
    let spreads = steps.map(\.spread)
    guard let greatest = spreads.max(), greatest > 0 else { return nil }
    return zip(steps, spreads).first { $1 >= 0.5 * greatest }?.0
  }

  /// Probability that the path's own error has a step on the wrong side of its plane where that tells the peer's side: `Phi(-d / s)` with
  /// the rms `d` of the steps off the plane and the rms `s` of what the path errs by meanwhile off the same plane. 0...0.5; where the path is
  /// known, 0.
  package var pathDoubt: Double {
    guard !tellsHeight, let lost = latest.last?.lost, lost.trace > 0 else { return 0 }
    guard let steps = telling else { return 0.5 }
    let (spread, error) = (steps.scatter.form(steps.normal, steps.normal), steps.lost.form(steps.normal, steps.normal))
    return error > 0 ? AngleMarginal.cdf(-(max(spread, 0) / error).squareRoot()) : 0
  }

  /// The mirror that the path leaves; nil where an angle of arrival has told the side, or there is no path yet.
  ///
  /// Off the plane by `x`, ranges of `r` metres to two places `h` metres off it on either side differ by `2 h x / r`: with errors of variance `v`
  /// the mean of the odds' logarithm is `I = 2 h^2 sum (x / r)^2 / v`. Steps `s` from one extreme to the other are `2 x`, and are counted as such:
  /// `I = h^2 sum (s / r)^2 / 2 v`, at least half of the truth for any motion, over the lag for which that is most. Of the coloured part of the noise
  /// what has been forgotten meanwhile counts.
  ///
  /// - Parameter noise: of the link.
  package func mirror(noise: RangeNoise) -> HeightMirror? {
    guard !tellsHeight, let here = latest.last else { return nil }
    let normal = telling?.normal ?? Vector3(0, 0, 1)
    let searched = search?.turning ?? steps.map(\.turning)
    return HeightMirror(
      point: here.position, normal: normal, pathDoubt: pathDoubt, telling: told(by: searched, along: normal, noise),
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
  package mutating func endSearch(_ gaussians: [TargetGaussian], noise: RangeNoise) {
    guard search == nil, let mirror = mirror(noise: noise) else { return }
    let share = gaussians.reduce((upper: 0.0, whole: 0.0)) { sum, g in
      let sigma = max(g.covariance.form(mirror.normal, mirror.normal), 1e-12).squareRoot()
      return (sum.upper + g.weight * AngleMarginal.cdf(mirror.height(of: g.position) / sigma), sum.whole + g.weight)
    }
    search = (share.upper / max(share.whole, 1e-300), steps.map(\.turning))
  }
}
