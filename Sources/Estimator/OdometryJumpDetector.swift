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
  /// Unknown for as long as the mean takes: a recording may begin at speed.
  private var velocity: Vector3?
  private var first: OdometryPose?
  /// What the velocity would be if the last jump had been motion: a second step like it says that it was.
  private var rival: Vector3?
  /// Jumps so far.
  private(set) var count = 0

  /// By how many metres the step from `a` to `b` exceeds what motion explains; 0 for motion.
  mutating func excess(from a: OdometryPose, to b: OdometryPose) -> Double {
    let seconds = b.timestamp.seconds(since: a.timestamp)
    let step = b.worldFromSensor.translation - a.worldFromSensor.translation
    let limit = slack + 0.5 * largestAcceleration * seconds * seconds
    func unexplained(_ velocity: Vector3) -> Double { (step - velocity * seconds).norm }
    guard let present = velocity else {
      let start = first ?? a
      first = start
      let elapsed = b.timestamp.seconds(since: start.timestamp)
      if elapsed >= memory { velocity = (b.worldFromSensor.translation - start.worldFromSensor.translation) / elapsed }
      return 0
    }
    if unexplained(present) <= limit {
      velocity = present + min(seconds / memory, 1) * (step / seconds - present)
      rival = nil
      return 0
    }
    if let other = rival, unexplained(other) <= limit {
      velocity = step / seconds
      rival = nil
      return 0
    }
    count += 1
    rival = step / seconds
    return unexplained(present)
  }
}
