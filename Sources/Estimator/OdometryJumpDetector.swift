import Geometry
import SensorData

/// Tells a tracker's jumps (relocalisation, settling) from motion: a device cannot leave its present velocity by more than
/// an acceleration allows.
struct OdometryJumpDetector {
  /// No hand, robot or drone in scope accelerates harder, m/s^2.
  private let largestAcceleration = 30.0
  /// Rounding of positions and stamps, and a motion-capture glitch, metres.
  private let slack = 0.1
  /// The velocity is a mean over about this long, seconds.
  private let memory = 0.1
  private var velocity = Vector3.zero
  /// Jumps so far.
  private(set) var count = 0

  /// By how many metres the step from `a` to `b` exceeds what motion explains; 0 for motion.
  mutating func excess(from a: OdometryPose, to b: OdometryPose) -> Double {
    let seconds = b.timestamp.seconds(since: a.timestamp)
    let step = b.worldFromSensor.translation - a.worldFromSensor.translation
    let unexplained = (step - velocity * seconds).norm
    guard unexplained <= slack + 0.5 * largestAcceleration * seconds * seconds else {
      count += 1
      return unexplained
    }
    velocity += min(seconds / memory, 1) * (step / seconds - velocity)
    return 0
  }
}
