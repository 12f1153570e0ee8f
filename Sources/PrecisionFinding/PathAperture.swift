import Estimator
import Foundation
import Geometry

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
    /// Where the newest place before it is among the latest.
    var start = 0

    /// Mean square off the plane that fits them best, m^2.
    var spread: Double { count > 0 ? max((scatter * (1 / count)).smallestEigenvalue, 0) : 0 }
  }

  /// The latest places, over the longest lag.
  private var latest: [Place] = []
  private var steps = [Steps](repeating: Steps(), count: lags.count)
  /// An angle of arrival has been taken that tells the side without a path.
  private var tellsHeight = false

  /// No path yet.
  package init() {}

  /// Takes a place of the antenna in; time O(1) on average.
  ///
  /// - Parameters:
  ///   - place: in the world, metres.
  ///   - seconds: since the place before.
  ///   - drift: what the path lost meanwhile.
  ///   - tellsHeight: an angle of arrival that tells above from below came with the range.
  package mutating func note(_ place: Vector3, seconds: Double, drift: AccumulatedDrift, tellsHeight: Bool) {
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
      steps[i].lost += now.lost - then.lost
    }
    forget()
  }

  /// Drops places no lag will ask for any more.
  private mutating func forget() {
    let unused = steps[Self.lags.count - 1].start
    guard unused > 64 else { return }
    latest.removeFirst(unused)
    for i in steps.indices { steps[i].start = max(steps[i].start - unused, 0) }
  }

  /// Probability that the path's own error has a step on the wrong side of its plane where that tells the peer's side: `Phi(-d / s)` with
  /// the rms `d` of the steps off a plane and the rms `s` of what the path errs by meanwhile off the same plane, the one for which that is
  /// least; over the first lag with half of the greatest mean square off the plane that fits best. 0...0.5; where the path is known, 0.
  package var mirrorDoubt: Double {
    guard !tellsHeight, let lost = latest.last?.lost, lost.trace > 0 else { return 0 }
    let spreads = steps.map(\.spread)
    guard let greatest = spreads.max(), greatest > 0, let i = spreads.firstIndex(where: { $0 >= 0.5 * greatest })
    else { return 0.5 }
    guard steps[i].lost.trace > 0 else { return 0 }
    // A loss that is no covariance tells nothing of the side.
    guard let ratio = steps[i].scatter.smallestRatio(to: steps[i].lost) else { return 0.5 }
    return AngleMarginal.cdf(-max(ratio, 0).squareRoot())
  }
}
