import SensorData

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
  static let longestLoss = 2.0
  /// 1-sigma of a component of the velocity for recovery, m/s.
  static let recoveredVelocitySigma = 0.1

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

  /// Clears the state.
  mutating func reset() { known = nil }
}
