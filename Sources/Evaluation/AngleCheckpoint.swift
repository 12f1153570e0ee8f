import Geometry
import SensorData

/// What was known of a peer's angle some seconds after the device began to move.
package struct AngleCheckpoint: Equatable, Sendable {
  /// The moments that are looked at, seconds after the motion began.
  package static let seconds: [Double] = [2, 3, 6, 12]
  /// An update older than this no longer speaks for a moment, seconds.
  static let patience = 0.5
  /// The device has begun to move when it is this far from where it was at the peer's first update, metres.
  static let motion = 0.05

  /// Seconds after the motion began.
  package var seconds: Double
  /// Error of the published angle, radians, not negative; nil where none was published.
  package var error: Double?
  /// Whether the status was `converged`.
  package var isConverged: Bool

  /// When the device began to move, after `start`; nil when it never does while its path is known.
  static func motionBegan(
    after start: Timestamp, until end: Timestamp, truth: TruthTrajectory, bodyFromDevice: Pose
  ) -> Timestamp? {
    guard let origin = truth.worldFromBody(at: start) else { return nil }
    let place = (origin * bodyFromDevice).translation
    var time = start
    while time <= end {
      if let pose = truth.worldFromBody(at: time), ((pose * bodyFromDevice).translation - place).norm >= motion {
        return time
      }
      time = time.advanced(bySeconds: 0.05)
    }
    return nil
  }
}
