import Geometry
import CameraGeometry

/// Tracks that tell no way: the few that moved while nearly everything stood.
///
/// Where the median point stands as still as noise, a point that moved is close by, or it slides, and nothing else that is seen can tell
/// which: any way fits points that are as good as infinitely far. Whoever believes the few gets a speed from them, and is certain of it.
/// Many that moved are a part of the room; a tracker that loses so many is of no use anyway.
package struct MinorityMotionTracks {
  /// A point that moved by so many times as much as the median point stands out: far beyond what noise does where all stand (k times the
  /// median happens with 2^(-k^2), Rayleigh's law). A choice: of 4, 6 and 8 the one that served random worlds best.
  static let standingOut = 6.0
  /// Largest share of the points that are a few.
  static let largestShare = 0.1
  /// How well the camera's turn is known between the two views, 1-sigma, radians.
  package let rotationSigma: Double
  /// 1-sigma of a sight, radians.
  package let observationSigma: Double

  /// From how well turns and sights are known.
  package init(rotationSigma: Double, observationSigma: Double) {
    self.rotationSigma = rotationSigma
    self.observationSigma = observationSigma
  }

  /// The ids of the tracks among those of `sights`, in their order. O(n log n).
  package func among(_ ids: [Int64], _ sights: [MotionConsensus.Sight]) -> [Int64] {
    guard sights.count >= RecentFrames.fewest else { return [] }
    let moved = sights.map { $0.after - $0.before }
    let limit = DynamicInitializer.leastParallax * observationSigma
    // Most moved, whatever the turn: no need to sort them.
    let far = (limit + 3 * rotationSigma) * (limit + 3 * rotationSigma)
    if 2 * moved.count(where: { $0.squaredNorm > far }) > moved.count { return [] }
    // What all have in common may be a turn that the gyroscope told wrongly.
    let middle = Vector3(median(moved.map(\.x)), median(moved.map(\.y)), median(moved.map(\.z)))
    let common = min(3 * rotationSigma / max(middle.norm, 1e-12), 1) * middle
    let ways = moved.map { ($0 - common).norm }
    let typical = median(ways)
    guard typical < limit else { return [] }
    let found = zip(ids, ways).filter { $0.1 > Self.standingOut * typical }.map(\.0)
    return Double(found.count) <= Self.largestShare * Double(ids.count) ? found : []
  }

  private func median(_ values: [Double]) -> Double {
    var values = values
    return Disparity.median(&values) ?? 0
  }
}
