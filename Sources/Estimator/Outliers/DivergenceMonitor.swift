import Geometry
import SensorData

/// Detects divergence of the filter: if the chi-square gate rejects nearly all tracks for a second, the state is wrong,
/// and the gate would prevent recovery.
struct DivergenceMonitor {
  /// Length of the window, seconds.
  static let span = 1.0
  /// Fewest rejected tracks for a decision.
  static let fewest = 30
  /// Speed beyond any carrier in scope, m/s.
  private static let largestSpeed = 60.0

  private var counts: [(time: Timestamp, used: Int, refused: Int)] = []

  /// Processes a frame's outcome; true when the filter has diverged.
  mutating func isLost(after report: FrameReport, _ navigation: InertialNavigation) -> Bool {
    counts.removeAll { report.timestamp.seconds(since: $0.time) > Self.span }
    counts.append((report.timestamp, report.tracksUsed, report.tracksRejected))
    let used = counts.reduce(0) { $0 + $1.used }, refused = counts.reduce(0) { $0 + $1.refused }
    let contradicted = refused >= Self.fewest && refused > 3 * used
    return contradicted || !navigation.isHealthy || navigation.state.velocity.norm > Self.largestSpeed
  }
}

/// Detects loss of the position during a visual outage, and its recovery.
///
/// The filter continues: its velocity, tilt and biases are more accurate than a new initialisation. A peer that is an
/// augmented state would however be corrected as if an error of metres were small, and the device with it. Peers are
/// therefore removed at a loss. After the outage, observations of the velocity move the position by metres until it is
/// known. Then a new epoch starts at the present position (`InertialNavigation.beginEpoch`).
struct PositionLossMonitor {
  /// A change of the position's status.
  enum Transition {
    case lost, found
  }

  /// Largest position error accumulated in an outage, metres: root of the summed variances of the three coordinates.
  private static let longestLoss = 2.0
  /// 1-sigma of a component of the velocity for recovery, m/s.
  private static let recoveredVelocitySigma = 0.1

  /// Summed variances of the position at the last frame with used tracks, m^2.
  private var known: Double?

  /// Processes a frame's outcome; nil without a change.
  mutating func update(after report: FrameReport, _ navigation: InertialNavigation) -> Transition? {
    let sees = report.tracksUsed > 0
    if navigation.isPositionLost {
      guard sees, navigation.velocitySigma < Self.recoveredVelocitySigma else { return nil }
      known = nil
      return .found
    }
    let variance = navigation.positionCovariance.trace
    guard !sees, let known else {
      known = variance
      return nil
    }
    return variance - known > Self.longestLoss * Self.longestLoss ? .lost : nil
  }
}

/// Separates jumps from motion in one quantity: motion deviates from its present speed only by a bounded acceleration.
struct JumpDetector {
  /// In units of the quantity (metres or radians): the largest acceleration, 1/s^2, and a tolerance for rounding of
  /// values and stamps and for glitches of motion capture.
  private let largestAcceleration, slack: Double
  /// Time constant of the mean speed, seconds.
  private let memory: Double
  /// Nil during the first `memory` seconds: a recording may begin in motion.
  private var speed: Vector3?
  private var first = (displacement: Vector3.zero, seconds: 0.0)
  /// Speed under the alternative that the last jump was motion; a second such step confirms it.
  private var alternative: Vector3?

  init(largestAcceleration: Double, slack: Double, memory: Double) {
    (self.largestAcceleration, self.slack, self.memory) = (largestAcceleration, slack, memory)
  }

  /// The part of a step not explained by motion, in the step's units; nil for motion.
  ///
  /// - Parameters:
  ///   - step: metres along the axes of the world, or a rotation vector in radians.
  ///   - seconds: duration of the step, above 0.
  mutating func unexplainedPart(of step: Vector3, in seconds: Double) -> Vector3? {
    let limit = slack + 0.5 * largestAcceleration * seconds * seconds
    func unexplained(_ speed: Vector3) -> Vector3 { step - seconds * speed }
    guard let present = speed else {
      first = (first.displacement + step, first.seconds + seconds)
      if first.seconds >= memory { speed = (1 / first.seconds) * first.displacement }
      return nil
    }
    if unexplained(present).norm <= limit {
      speed = present + min(seconds / memory, 1) * ((1 / seconds) * step - present)
      alternative = nil
      return nil
    }
    if let other = alternative, unexplained(other).norm <= limit {
      speed = (1 / seconds) * step
      alternative = nil
      return nil
    }
    alternative = (1 / seconds) * step
    return unexplained(present)
  }
}
