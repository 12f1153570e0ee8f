import Foundation
import Geometry
import SensorData

/// Trajectory filter driven by external odometry, with that tracker's drift; same interface as the inertial filter.
///
/// The state is the pose of the tracker's sensor, propagated by the odometry's increments, `T_k+1 = T_k (O_k^-1
/// O_k+1)`. The error is a random walk: position by distance travelled, heading by time. The error state is (theta, p).
/// Roll and pitch are taken as known, the tracker being gravity-aligned. No measurement corrects it.
package final class OdometryFilter: NavigationFilter {
  package let covariance = ErrorCovariance(capacity: 64)
  package private(set) var time: Timestamp
  package private(set) var worldFromNavigation: Pose
  package let bodyFromNavigation: Pose
  package let poseBlock: ErrorCovariance.Block
  package private(set) var accumulatedDrift = AccumulatedDrift()
  package var velocitySigma: Double { 0 }
  package var isExternalOdometry: Bool { true }

  private let calibration: OdometryCalibration
  private let driftScale: Double
  /// Odometry poses from the last one at or before `time`, each with the jump before it.
  private var poses: [(pose: OdometryPose, jump: OdometryJumpDetector.Jump)]
  /// Slow mean of the spacing of poses, seconds; nil before the second pose.
  private var spacing: Double?
  /// Ends of gaps: intervals too long to interpolate.
  private var gapEnds: Set<Timestamp> = []
  private var jumps = OdometryJumpDetector()

  /// A filter that starts at the tracker's first pose, in the tracker's own world, without error.
  ///
  /// - Parameter driftScale: factor on the stated drift for `accumulatedDrift`. Drift is intermittent, and only over
  ///   minutes averages to the stated value.
  package init(calibration: OdometryCalibration, first: OdometryPose, driftScale: Double = 1) {
    self.calibration = calibration
    self.driftScale = driftScale
    bodyFromNavigation = calibration.bodyFromSensor
    poses = [(first, .none)]
    time = first.timestamp
    worldFromNavigation = first.worldFromSensor
    // Start without uncertainty in its own world: only a numerical floor, and the tilt left by gravity alignment.
    let tilt = 1e-6
    let diagonal = [tilt, tilt, 1e-12, 1e-10, 1e-10, 1e-10]
    var initial = [Double](repeating: 0, count: 36)
    for i in 0..<6 { initial[i * 7] = diagonal[i] }
    poseBlock = covariance.augment(size: 6, independent: initial)!
  }

  /// Appends the tracker's next pose; ignored if not newer than the last.
  package func append(_ pose: OdometryPose) {
    let last = poses.last!.pose
    guard pose.timestamp > last.timestamp else { return }
    let interval = pose.timestamp.seconds(since: last.timestamp)
    if interval > max(Self.shortestGap, 3 * (spacing ?? interval)) {
      gapEnds.insert(pose.timestamp)
    } else {
      spacing = spacing.map { $0 + 0.1 * (interval - $0) } ?? interval
    }
    poses.append((pose, jumps.jump(from: last, to: pose)))
  }

  /// Shortest gap between poses, seconds; a gap also exceeds three times their usual spacing.
  private static let shortestGap = 0.5

  /// True strictly within a gap: the position is unknown.
  private func isInGap(_ time: Timestamp) -> Bool {
    guard !gapEnds.isEmpty, let next = poses.first(where: { $0.pose.timestamp >= time }) else { return false }
    return next.pose.timestamp > time && gapEnds.contains(next.pose.timestamp) && time > poses[0].pose.timestamp
  }

  /// Number of jumps of the tracker, for example by relocalisation.
  package var jumpCount: Int { jumps.count }

  /// Time of the tracker's newest pose.
  package var coveredUntil: Timestamp { poses.last!.pose.timestamp }

  package func advance(to target: Timestamp) -> Bool {
    guard target >= time, target <= coveredUntil, !isInGap(target) else { return false }
    guard target > time else { return true }
    // One step per odometry interval, so that the distance travelled does not depend on the times of the calls.
    while let next = poses.dropFirst().first, next.pose.timestamp < target { step(to: next.pose.timestamp) }
    step(to: target)
    return true
  }

  private func step(to target: Timestamp) {
    let increment = odometry(at: time).inverse * odometry(at: target)
    let moved = worldFromNavigation.rotation * increment.translation
    let seconds = target.seconds(since: time)
    // theta' = theta; p' = p - [R dp]x theta.
    var transition = [Double](repeating: 0, count: 36)
    for i in 0..<6 { transition[i * 7] = 1 }
    let skew = moved.skew
    for r in 0..<3 { for c in 0..<3 { transition[(r + 3) * 6 + c] = -skew[r, c] } }
    let (jump, fraction) = jump(until: target)
    let travelled = max(increment.translation.norm - fraction * jump.metres, 0)
    let positionVariance = calibration.positionRandomWalk * calibration.positionRandomWalk * travelled
    let yawVariance = calibration.yawRandomWalk * calibration.yawRandomWalk * seconds
    var noise = [Double](repeating: 0, count: 36)
    noise[14] = yawVariance
    for i in 3..<6 { noise[i * 7] = positionVariance }
    covariance.propagate(poseBlock, transition: transition, noise: noise)
    // A jump starts a new world of the tracker: the pose stays as accurate, but positions known in the old world are
    // off by the jump. The full jump is added at once: spread over several steps, each part would look small.
    let isNew = jump != .none && time == poses[0].pose.timestamp
    let (position, heading) = isNew ? (jump.metres * jump.metres, jump.radians * jump.radians) : (0, 0)
    accumulatedDrift.position += (driftScale * driftScale * positionVariance + position) * Matrix3.identity
    accumulatedDrift.yaw += driftScale * driftScale * yawVariance + heading

    worldFromNavigation = worldFromNavigation * increment
    time = target
    while poses.count > 1, poses[1].pose.timestamp <= time { gapEnds.remove(poses.removeFirst().pose.timestamp) }
  }

  private func odometry(at t: Timestamp) -> Pose {
    for (a, b) in zip(poses, poses.dropFirst()) where t <= b.pose.timestamp {
      let span = b.pose.timestamp.seconds(since: a.pose.timestamp)
      return a.pose.worldFromSensor.interpolated(
        to: b.pose.worldFromSensor, fraction: t.seconds(since: a.pose.timestamp) / span)
    }
    return poses.last!.pose.worldFromSensor
  }

  /// The jump of the odometry interval that contains the step from `time` to `target`, and the step's fraction of that
  /// interval.
  private func jump(until target: Timestamp) -> (jump: OdometryJumpDetector.Jump, fraction: Double) {
    for (a, b) in zip(poses, poses.dropFirst()) where target <= b.pose.timestamp {
      return (b.jump, target.seconds(since: time) / b.pose.timestamp.seconds(since: a.pose.timestamp))
    }
    return (.none, 0)
  }
}

/// Separates jumps of a tracker (relocalisation, initial convergence) from motion, in position and heading.
private struct OdometryJumpDetector {
  /// The part of a step not explained by motion.
  struct Jump: Equatable {
    /// Of the position, metres.
    var metres = 0.0
    /// About the vertical, radians, at least 0: trackers observe gravity, and jump in heading alone.
    var radians = 0.0

    static let none = Jump()
  }

  /// No hand, robot or drone in scope exceeds these accelerations (30 m/s^2, 250 rad/s^2). A shaking hand reverses its
  /// rotation every tenth of a second.
  private var positionDetector = JumpDetector(largestAcceleration: 30, slack: 0.1, memory: 0.1)
  private var rotationDetector = JumpDetector(largestAcceleration: 250, slack: 0.05, memory: 0.02)
  /// Number of jumps so far.
  private(set) var count = 0

  /// The part of the step from `a` to `b` not explained by motion.
  mutating func jump(from a: OdometryPose, to b: OdometryPose) -> Jump {
    let seconds = b.timestamp.seconds(since: a.timestamp)
    let (from, to) = (a.worldFromSensor, b.worldFromSensor)
    let moved = positionDetector.unexplainedPart(of: to.translation - from.translation, in: seconds)
    // In the sensor's axes: a constant rotation about an axis of the device has a constant rate there.
    let rotated = rotationDetector.unexplainedPart(of: (from.rotation.inverse * to.rotation).log, in: seconds)
    if moved != nil || rotated != nil { count += 1 }
    return Jump(metres: moved?.norm ?? 0, radians: rotated.map { abs((from.rotation * $0).z) } ?? 0)
  }
}
