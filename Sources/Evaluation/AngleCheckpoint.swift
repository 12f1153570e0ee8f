import Geometry
import SensorData

/// The published angle of a peer some seconds after the device began to move.
package struct AngleCheckpoint: Equatable, Sendable {
  /// The evaluated moments, seconds after the motion began.
  package static let seconds: [Double] = [2, 3, 6, 12]
  /// Those at which proper scores price the whole answer.
  package static let scored: [Double] = [6, 10, 20, 28]
  /// Both.
  package static let moments = Set(seconds + scored).sorted()
  /// An update older than this does not represent a moment, seconds.
  static let maxUpdateAge = 0.5
  /// Displacement from the position at the peer's first update that counts as motion, metres.
  static let motion = 0.05
  /// Seconds between the moments at which it is looked for.
  private static let spacing = 0.05

  /// Seconds after the motion began.
  package var seconds: Double
  /// Error of the published angle, radians, not negative; nil where none was published.
  package var error: Double?
  /// Whether the status was `converged`.
  package var isConverged: Bool
  /// Whether the angle's 90 % interval contained the truth; nil without one.
  package var containsTruth: Bool?
  /// Its price; the prior's where no angle was published, nil where the truth is not known.
  package var score: AngleScore?

  /// When the device began to move, after `start`, in steps of `spacing`; nil when it never does while its path is known.
  ///
  /// Cost: that of the rows and of the time that they cover; where there are none, however long, nothing is searched.
  package static func motionBegan(
    after start: Timestamp, until end: Timestamp, truth: TruthTrajectory, bodyFromDevice: Pose
  ) -> Timestamp? {
    guard let origin = truth.worldFromBody(at: start) else { return nil }
    let begin = (origin * bodyFromDevice).translation
    var time = start
    while time <= end {
      if let pose = truth.worldFromBody(at: time), ((pose * bodyFromDevice).translation - begin).norm >= motion {
        return time
      }
      let following = time.advanced(bySeconds: spacing)
      // The end of the clock is the end of the search.
      guard following > time, let next = truth.firstTime(notBefore: following) else { return nil }
      time = following
      let ahead = next.seconds(since: time) - TruthTrajectory.longestGap
      if ahead > 0 { time = time.advanced(bySeconds: (ahead / spacing).rounded(.down) * spacing) }
    }
    return nil
  }
}
