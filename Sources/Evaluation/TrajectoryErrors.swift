import Geometry
import SensorData

/// How far an estimated trajectory is from the true one, after the alignment that removes what cannot be known.
///
/// Source of the measures: Sturm et al., "A benchmark for the evaluation of RGB-D SLAM systems", IROS 2012,
/// doi:10.1109/IROS.2012.6385773; of the yaw-only alignment, see `RigidAlignment`.
package struct TrajectoryErrors: Equatable, Sendable {
  /// Variances below this claim more than any sensor knows, m^2 and rad^2: a tenth of a millimetre, of a milliradian.
  static let varianceFloor = 1e-8

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
  /// Relative pose errors by length of the way, those that it has.
  package var relativeByLength: [RelativeError]
  /// Normalised errors of the position; empty where the run does not tell its covariance.
  package var positionNEES = NormalizedErrors()
  /// Normalised errors of the attitude; empty likewise.
  package var attitudeNEES = NormalizedErrors()
  /// The yaw and translation that carry the estimate's world onto the truth's.
  package var truthFromEstimate: Pose

  /// The errors of poses in time order; nil when none of them has a truth.
  ///
  /// - Parameter sharesWorld: the estimate began from the truth, in its world: then normalised errors are taken as they are.
  ///   Otherwise the worlds are made one at the first pose, in yaw and translation: from there on the covariance counts.
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
      positionNEES.note(
        real.translation - pair.estimate.translation, covariance: covariance.position, floor: Self.varianceFloor,
        seconds: seconds)
      attitudeNEES.note(
        (real.rotation * pair.estimate.rotation.inverse).log, covariance: covariance.rotation,
        floor: Self.varianceFloor, seconds: seconds)
    }
  }

  /// Yaw and translation that make the poses of one moment agree in position and heading.
  private static func estimateFromTruth(_ pair: RelativeError.Pair) -> Pose {
    let turn = Rotation.yaw((pair.estimate.rotation * pair.truth.rotation.inverse).twistAboutZ)
    return Pose(rotation: turn, translation: pair.estimate.translation - turn * pair.truth.translation)
  }
}
