import Geometry
import SensorData

/// Separates jumps of a tracker (relocalisation, initial convergence) from motion, in position and heading.
struct OdometryJumpDetector {
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
