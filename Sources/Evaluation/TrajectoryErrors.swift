import Geometry
import SensorData

/// How far an estimated trajectory is from the true one, after the alignment that removes what cannot be known.
///
/// Source of the measures: Sturm et al., "A benchmark for the evaluation of RGB-D SLAM systems", IROS 2012,
/// doi:10.1109/IROS.2012.6385773; of the yaw-only alignment, see `RigidAlignment`.
package struct TrajectoryErrors: Equatable, Sendable {
  /// Poses that have a truth.
  package var count: Int
  /// Metres travelled, along the truth at the estimate's times.
  package var pathLength: Double
  /// Absolute trajectory error, RMS, metres, after yaw and translation are aligned.
  package var ateYawAligned: Double
  /// The same after all six degrees of freedom are.
  package var ateSE3: Double
  /// Attitude error, RMS, radians, after yaw and translation are aligned.
  package var attitude: Double
  /// Relative pose error, RMS, metres over one second; nil for a shorter trajectory.
  package var relativePerSecond: Double?
  /// The yaw and translation that carry the estimate's world onto the truth's.
  package var truthFromEstimate: Pose

  /// The errors of poses in time order; nil when none of them has a truth.
  package init?(_ estimate: [(timestamp: Timestamp, worldFromBody: Pose)], truth: TruthTrajectory) {
    var pairs: [(time: Timestamp, estimate: Pose, truth: Pose)] = []
    for (time, pose) in estimate {
      if let trueWorldFromBody = truth.worldFromBody(at: time) { pairs.append((time, pose, trueWorldFromBody)) }
    }
    let points = pairs.map(\.estimate.translation)
    let truths = pairs.map(\.truth.translation)
    guard let yaw = RigidAlignment.yawAndTranslation(estimate: points, truth: truths),
      let full = RigidAlignment.full(estimate: points, truth: truths)
    else { return nil }
    func rms(_ squares: [Double]) -> Double { (squares.reduce(0, +) / Double(squares.count)).squareRoot() }
    count = pairs.count
    pathLength = zip(truths, truths.dropFirst()).reduce(0) { $0 + ($1.1 - $1.0).norm }
    ateYawAligned = rms(zip(points, truths).map { (yaw * $0 - $1).squaredNorm })
    ateSE3 = rms(zip(points, truths).map { (full * $0 - $1).squaredNorm })
    attitude = rms(pairs.map { (yaw.rotation * $0.estimate.rotation * $0.truth.rotation.inverse).log.squaredNorm })
    truthFromEstimate = yaw
    relativePerSecond = Self.relativeError(pairs)
  }

  /// RMS of the difference between estimated and true motion over the first pose at least one second later.
  private static func relativeError(_ pairs: [(time: Timestamp, estimate: Pose, truth: Pose)]) -> Double? {
    var squares: [Double] = []
    var end = 0
    for start in pairs.indices {
      while end < pairs.count, pairs[end].time.seconds(since: pairs[start].time) < 1 { end += 1 }
      guard end < pairs.count else { break }
      // Across a hole in the truth the step is longer: that is another measure, left out.
      guard pairs[end].time.seconds(since: pairs[start].time) <= 1 + TruthTrajectory.longestGap else { continue }
      let estimated = pairs[start].estimate.inverse * pairs[end].estimate
      let real = pairs[start].truth.inverse * pairs[end].truth
      squares.append((estimated.translation - real.translation).squaredNorm)
    }
    return squares.isEmpty ? nil : (squares.reduce(0, +) / Double(squares.count)).squareRoot()
  }
}
