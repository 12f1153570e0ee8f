import Geometry
import SensorData

/// Errors of an estimated trajectory, after alignment in its unobservable directions.
///
/// Source of the measures: Sturm et al., "A benchmark for the evaluation of RGB-D SLAM systems", IROS 2012,
/// doi:10.1109/IROS.2012.6385773; of the yaw-only alignment, see `RigidAlignment`.
package struct TrajectoryErrors: Equatable, Sendable {
  /// Least variance of normalised errors, m^2 and rad^2: (0.1 mm)^2 and (0.1 mrad)^2.
  static let varianceFloor = 1e-8

  /// Poses with ground truth.
  package var count: Int
  /// Path length of the truth at the estimate's times, metres.
  package var pathLength: Double
  /// Absolute trajectory error, RMS, metres, after yaw and translation are aligned.
  package var ateYawAligned: Double
  /// The same after alignment in all six degrees of freedom.
  package var ateSE3: Double
  /// Attitude error, RMS, radians, after yaw and translation are aligned.
  package var attitude: Double
  /// Relative pose error, RMS, metres over one second; nil for a shorter trajectory.
  package var relativePerSecond: Double?
  /// Relative pose errors by path length, for lengths the path reaches.
  package var relativeByLength: [RelativeError]
  /// Normalised errors of the position; empty where the run reports no covariance.
  package var positionNEES = NormalizedErrors()
  /// Normalised errors of the attitude; empty likewise.
  package var attitudeNEES = NormalizedErrors()
  /// Yaw and translation from the estimate's world to the truth's.
  package var truthFromEstimate: Pose

  /// The errors of poses in time order; nil when none of them has ground truth.
  ///
  /// - Parameter sharesWorld: the estimate was initialised from the truth, in its world: then normalised errors need no
  ///   alignment. Otherwise the worlds are aligned in yaw and translation at the first pose.
  package init?(_ estimate: [EstimatedPose], truth: TruthTrajectory, sharesWorld: Bool = false) {
    var pairs: [RelativeError.Pair] = []
    var covariances: [PoseCovariance?] = []
    for pose in estimate {
      guard let trueWorldFromBody = truth.worldFromBody(at: pose.timestamp) else { continue }
      pairs.append((pose.timestamp, pose.worldFromBody, trueWorldFromBody))
      covariances.append(pose.covariance)
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
    relativePerSecond = RelativeError.perSecond(pairs)
    relativeByLength = RelativeError.byLength(pairs)
    let estimateFromTruth = sharesWorld ? Pose.identity : Self.estimateFromTruth(pairs[0])
    for (pair, covariance) in zip(pairs, covariances) {
      guard let covariance else { continue }
      let real = estimateFromTruth * pair.truth
      let seconds = pair.time.seconds(since: pairs[0].time)
      positionNEES.add(
        real.translation - pair.estimate.translation, covariance: covariance.position, floor: Self.varianceFloor,
        seconds: seconds)
      attitudeNEES.add(
        (real.rotation * pair.estimate.rotation.inverse).log, covariance: covariance.rotation,
        floor: Self.varianceFloor, seconds: seconds)
    }
  }

  /// Yaw and translation that make the poses of one moment agree in position and heading.
  private static func estimateFromTruth(_ pair: RelativeError.Pair) -> Pose {
    let rotation = Rotation.yaw((pair.estimate.rotation * pair.truth.rotation.inverse).twistAboutZ)
    return Pose(rotation: rotation, translation: pair.estimate.translation - rotation * pair.truth.translation)
  }
}
