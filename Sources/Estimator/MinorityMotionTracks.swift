import CameraGeometry
import Geometry

/// Tracks without usable motion information: a small minority that moved while nearly all points are still.
///
/// If the median point is still to within noise, a point that moved is either close or moving, and no other observation
/// decides which: points as good as at infinity fit any translation. Using the minority would give a speed with far too
/// small a covariance. A larger group that moved belongs to the scene; a tracker that loses so many points is useless
/// anyway.
package struct MinorityMotionTracks {
  /// Ratio to the median motion beyond which a point belongs to the minority: far beyond noise (Rayleigh: k times the
  /// median has probability 2^(-k^2)). Chosen among 4, 6 and 8 on random worlds.
  static let outlierRatio = 6.0
  /// Largest fraction of points that is a minority.
  static let largestFraction = 0.1
  /// 1-sigma of the camera's rotation between the two frames, radians.
  package let rotationSigma: Double
  /// 1-sigma of a correspondence, radians.
  package let observationSigma: Double

  /// From the 1-sigmas of rotation and observations.
  package init(rotationSigma: Double, observationSigma: Double) {
    self.rotationSigma = rotationSigma
    self.observationSigma = observationSigma
  }

  /// The ids of minority tracks, in the order of `correspondences`. O(n log n).
  package func among(_ ids: [Int64], _ correspondences: [MotionConsensus.Correspondence]) -> [Int64] {
    guard correspondences.count >= RecentFrames.fewest else { return [] }
    let moved = correspondences.map { $0.after - $0.before }
    let limit = DynamicInitializer.leastParallax * observationSigma
    // The majority moved, whatever the rotation: no sorting needed.
    let far = (limit + 3 * rotationSigma) * (limit + 3 * rotationSigma)
    if 2 * moved.count(where: { $0.squaredNorm > far }) > moved.count { return [] }
    // Common motion may be an error of the gyroscope's rotation.
    let middle = Vector3(median(moved.map(\.x)), median(moved.map(\.y)), median(moved.map(\.z)))
    let common = min(3 * rotationSigma / max(middle.norm, 1e-12), 1) * middle
    let deviations = moved.map { ($0 - common).norm }
    let typical = median(deviations)
    guard typical < limit else { return [] }
    let found = zip(ids, deviations).filter { $0.1 > Self.outlierRatio * typical }.map(\.0)
    return Double(found.count) <= Self.largestFraction * Double(ids.count) ? found : []
  }

  private func median(_ values: [Double]) -> Double {
    var values = values
    return Disparity.median(&values) ?? 0
  }
}
