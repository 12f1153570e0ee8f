import Foundation
import Geometry
import LeastSquares
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
  /// - Parameter worlds: when the trajectory restarted, in time order: from then on its poses are in another world.
  /// - Parameter sharesWorld: the estimate was initialised from the truth, in its world: then normalised errors need no
  ///   alignment. Otherwise, and after it restarted, the worlds are aligned in yaw and translation at the first pose.
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

/// A pose of an estimated trajectory, from any estimator.
package struct EstimatedPose: Equatable, Sendable {
  /// When.
  package var timestamp: Timestamp
  /// The body in the estimate's world.
  package var worldFromBody: Pose
  /// Its covariance; nil where the estimator reports none.
  package var covariance: PoseCovariance?

  /// A pose from its parts.
  package init(timestamp: Timestamp, worldFromBody: Pose, covariance: PoseCovariance? = nil) {
    self.timestamp = timestamp
    self.worldFromBody = worldFromBody
    self.covariance = covariance
  }
}

/// Relative pose error: the difference of estimated and true motion between two poses.
///
/// Needs no alignment. Sources: Sturm et al., IROS 2012, doi:10.1109/IROS.2012.6385773 (by time); Geiger, Lenz,
/// Urtasun, CVPR 2012, doi:10.1109/CVPR.2012.6248074 (by path length).
package struct RelativeError: Equatable, Sendable {
  /// Evaluated path lengths, metres.
  package static let lengths: [Double] = [1, 2, 5, 10, 20, 50]

  /// Path length, metres.
  package var length: Double
  /// Pairs of poses.
  package var count: Int
  /// RMS of the translation's error, metres.
  package var translation: Double
  /// RMS of the rotation's error, radians.
  package var rotation: Double

  typealias Pair = (time: Timestamp, estimate: Pose, truth: Pose, world: Int)

  /// One error per length that the path reaches. Each pose is paired with the later one whose true path length from it
  /// is nearest to the length, within 10 %. O(n) per length.
  static func byLength(_ pairs: [Pair]) -> [RelativeError] {
    var travelled = [0.0]
    for (a, b) in zip(pairs, pairs.dropFirst()) {
      travelled.append(travelled.last! + (b.truth.translation - a.truth.translation).norm)
    }
    return lengths.compactMap { length in
      var ends: [(Int, Int)] = []
      var upper = 0
      for start in pairs.indices.dropLast() {
        let target = travelled[start] + length
        while upper < pairs.count, travelled[upper] < target { upper += 1 }
        guard let end = nearest(to: target, travelled, after: start, upper) else { continue }
        // No motion leads from one world to another.
        guard pairs[start].world == pairs[end].world else { continue }
        if abs(travelled[end] - target) <= 0.1 * length { ends.append((start, end)) }
      }
      return RelativeError(length: length, pairs, ends)
    }
  }

  /// RMS of the translation's error, metres, from every pose to the first one at least a second later; nil without any.
  static func perSecond(_ pairs: [Pair]) -> Double? {
    var ends: [(Int, Int)] = []
    var end = 0
    for start in pairs.indices {
      while end < pairs.count, pairs[end].time.seconds(since: pairs[start].time) < 1 { end += 1 }
      guard end < pairs.count else { break }
      // Steps across a gap in the ground truth are longer than a second: left out.
      guard pairs[end].time.seconds(since: pairs[start].time) <= 1 + TruthTrajectory.longestGap else { continue }
      if pairs[start].world == pairs[end].world { ends.append((start, end)) }
    }
    return RelativeError(length: 0, pairs, ends)?.translation
  }

  private init?(length: Double, _ pairs: [Pair], _ ends: [(Int, Int)]) {
    guard !ends.isEmpty else { return nil }
    var (translation, rotation) = (0.0, 0.0)
    for (a, b) in ends {
      let estimated = pairs[a].estimate.inverse * pairs[b].estimate
      let error = (pairs[a].truth.inverse * pairs[b].truth).inverse * estimated
      translation += error.translation.squaredNorm
      rotation += error.rotation.log.squaredNorm
    }
    self.length = length
    count = ends.count
    self.translation = (translation / Double(count)).squareRoot()
    self.rotation = (rotation / Double(count)).squareRoot()
  }

  /// The index after `start` nearest to `target`, the earliest of equals; `upper` is the first not below it.
  private static func nearest(to target: Double, _ travelled: [Double], after start: Int, _ upper: Int) -> Int? {
    var lower = max(upper - 1, start + 1)
    guard lower < travelled.count else { return nil }
    while lower > start + 1, travelled[lower - 1] == travelled[lower] { lower -= 1 }
    guard upper < travelled.count, upper > lower else { return lower }
    return abs(travelled[lower] - target) <= abs(travelled[upper] - target) ? lower : upper
  }
}

/// The yaw and translation from each world of an estimate to the truth's.
///
/// A trajectory that restarted has several worlds, one after the other: positions in one say nothing about those in
/// another.
package struct WorldAlignment: Equatable, Sendable {
  /// When the second world and all after it began, in time order.
  let beginnings: [Timestamp]
  /// One for each world; nil where a world has no pose with truth.
  let truthFromEstimate: [Pose?]

  /// The number of a world, from 0.
  static func number(at time: Timestamp, _ beginnings: [Timestamp]) -> Int { beginnings.count { $0 <= time } }

  /// The alignment of the world of a time; nil where there is none. O(worlds).
  package func truthFromEstimate(at time: Timestamp) -> Pose? {
    truthFromEstimate[Self.number(at: time, beginnings)]
  }
}

/// The rigid transform between two sets of points with the least squared distance, in closed form.
package enum RigidAlignment {
  /// All six degrees of freedom, no scale: `truth ~ T * estimate`. Nil without points, or when one is not finite.
  ///
  /// The rotation is the principal eigenvector of Horn's 4x4 matrix, so that it is a rotation even for points on a
  /// plane or a line. Source: Horn, "Closed-form solution of absolute orientation using unit quaternions",
  /// J. Opt. Soc. Am. A 4(4), 1987, doi:10.1364/JOSAA.4.000629.
  package static func full(estimate: [Vector3], truth: [Vector3]) -> Pose? {
    guard let (from, to) = centroids(estimate, truth) else { return nil }
    var s = Matrix3.zero
    for (a, b) in zip(estimate, truth) { s += Matrix3(outer: a - from, b - to) }
    let n: [[Double]] = [
      [s.trace, s[1, 2] - s[2, 1], s[2, 0] - s[0, 2], s[0, 1] - s[1, 0]],
      [s[1, 2] - s[2, 1], s[0, 0] - s[1, 1] - s[2, 2], s[0, 1] + s[1, 0], s[2, 0] + s[0, 2]],
      [s[2, 0] - s[0, 2], s[0, 1] + s[1, 0], s[1, 1] - s[0, 0] - s[2, 2], s[1, 2] + s[2, 1]],
      [s[0, 1] - s[1, 0], s[2, 0] + s[0, 2], s[1, 2] + s[2, 1], s[2, 2] - s[0, 0] - s[1, 1]],
    ]
    let q = SymmetricEigen.principalVector(of: n)
    let rotation = Rotation(w: q[0], x: q[1], y: q[2], z: q[3])
    return Pose(rotation: rotation, translation: to - rotation * from)
  }

  /// Yaw and translation only: the unobservable directions of a gravity-aligned estimator.
  ///
  /// The cost is a cosine in the yaw, so its minimum is one `atan2`. Source: Zhang and Scaramuzza, "A tutorial on
  /// quantitative trajectory evaluation for visual(-inertial) odometry", IROS 2018, doi:10.1109/IROS.2018.8593941.
  package static func yawAndTranslation(estimate: [Vector3], truth: [Vector3]) -> Pose? {
    guard let (from, to) = centroids(estimate, truth) else { return nil }
    var cosine = 0.0
    var sine = 0.0
    for (a, b) in zip(estimate, truth) {
      let (x, y) = (a - from, b - to)
      cosine += x.x * y.x + x.y * y.y
      sine += x.x * y.y - x.y * y.x
    }
    let rotation = cosine == 0 && sine == 0 ? Rotation.identity : Rotation.yaw(atan2(sine, cosine))
    return Pose(rotation: rotation, translation: to - rotation * from)
  }

  private static func centroids(_ estimate: [Vector3], _ truth: [Vector3]) -> (Vector3, Vector3)? {
    precondition(estimate.count == truth.count, "points come in pairs")
    guard !estimate.isEmpty, estimate.allSatisfy(\.isFinite), truth.allSatisfy(\.isFinite) else { return nil }
    let scale = 1 / Double(estimate.count)
    return (estimate.reduce(.zero, +) * scale, truth.reduce(.zero, +) * scale)
  }
}
