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
  /// From each world of the estimate to the truth's.
  package var alignment: WorldAlignment
  /// Yaw and translation from the estimate's first world with truth to the truth's.
  package var truthFromEstimate: Pose { alignment.truthFromEstimate.lazy.compactMap(\.self).first ?? .identity }

  /// The errors of poses in time order, world by world; nil when none of them has ground truth.
  ///
  /// - Parameter worlds: when the trajectory began anew, in time order: from then on its poses are in another world.
  /// - Parameter sharesWorld: the estimate was initialised from the truth, in its world: then normalised errors need no
  ///   alignment. Otherwise, and after it began anew, the worlds are aligned in yaw and translation at the first pose.
  package init?(
    _ estimate: [EstimatedPose], truth: TruthTrajectory, sharesWorld: Bool = false, worlds: [Timestamp] = []
  ) {
    var pairs: [RelativeError.Pair] = []
    var covariances: [PoseCovariance?] = []
    for pose in estimate {
      guard let trueWorldFromBody = truth.worldFromBody(at: pose.timestamp) else { continue }
      let world = WorldAlignment.number(at: pose.timestamp, worlds)
      pairs.append((pose.timestamp, pose.worldFromBody, trueWorldFromBody, world))
      covariances.append(pose.covariance)
    }
    var alignments: [Pose?] = Array(repeating: nil, count: worlds.count + 1)
    var (yawSquares, fullSquares, attitudeSquares): ([Double], [Double], [Double]) = ([], [], [])
    for world in alignments.indices {
      let own = pairs.filter { $0.world == world }
      let points = own.map(\.estimate.translation)
      let truths = own.map(\.truth.translation)
      guard let yaw = RigidAlignment.yawAndTranslation(estimate: points, truth: truths),
        let full = RigidAlignment.full(estimate: points, truth: truths)
      else { continue }
      alignments[world] = yaw
      yawSquares += zip(points, truths).map { (yaw * $0 - $1).squaredNorm }
      fullSquares += zip(points, truths).map { (full * $0 - $1).squaredNorm }
      attitudeSquares += own.map {
        (yaw.rotation * $0.estimate.rotation * $0.truth.rotation.inverse).log.squaredNorm
      }
    }
    guard !yawSquares.isEmpty else { return nil }
    func rms(_ squares: [Double]) -> Double { (squares.reduce(0, +) / Double(squares.count)).squareRoot() }
    let truths = pairs.map(\.truth.translation)
    count = pairs.count
    pathLength = zip(truths, truths.dropFirst()).reduce(0) { $0 + ($1.1 - $1.0).norm }
    ateYawAligned = rms(yawSquares)
    ateSE3 = rms(fullSquares)
    attitude = rms(attitudeSquares)
    alignment = WorldAlignment(beginnings: worlds, truthFromEstimate: alignments)
    relativePerSecond = RelativeError.perSecond(pairs)
    relativeByLength = RelativeError.byLength(pairs)
    var anchor = (world: -1, estimateFromTruth: Pose.identity)
    for (pair, covariance) in zip(pairs, covariances) {
      if pair.world != anchor.world {
        let shares = sharesWorld && pair.world == 0
        anchor = (pair.world, shares ? .identity : Self.estimateFromTruth(pair))
      }
      guard let covariance else { continue }
      let real = anchor.estimateFromTruth * pair.truth
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
