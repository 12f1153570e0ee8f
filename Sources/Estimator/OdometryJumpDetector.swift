import Geometry
import SensorData

/// Tells a tracker's jumps (relocalisation, settling) from motion, of its place and of its heading.
struct OdometryJumpDetector {
  /// By how much a pose is off what motion explains.
  struct Jump: Equatable {
    /// Of the place, metres.
    var metres = 0.0
    /// About the vertical, radians, at least 0: trackers know what is down, and jump in heading alone.
    var radians = 0.0

    static let none = Jump()
  }

  /// No hand, robot or drone in scope accelerates harder (30 m/s^2, 250 rad/s^2). A hand that shakes turns the other way every tenth of a second.
  private var place = JumpDetector(largestAcceleration: 30, slack: 0.1, memory: 0.1)
  private var turn = JumpDetector(largestAcceleration: 250, slack: 0.05, memory: 0.02)
  /// Jumps so far.
  private(set) var count = 0

  /// What of the step from `a` to `b` no motion explains.
  mutating func jump(from a: OdometryPose, to b: OdometryPose) -> Jump {
    let seconds = b.timestamp.seconds(since: a.timestamp)
    let (from, to) = (a.worldFromSensor, b.worldFromSensor)
    let moved = place.excess(of: to.translation - from.translation, in: seconds)
    // In the sensor's axes: who keeps on turning about an axis of the device has the same rate there from step to step.
    let turned = turn.excess(of: (from.rotation.inverse * to.rotation).log, in: seconds)
    if moved != nil || turned != nil { count += 1 }
    return Jump(metres: moved?.norm ?? 0, radians: turned.map { abs((from.rotation * $0).z) } ?? 0)
  }
}
