import SensorData

/// Notices when the way through a darkness is no longer known well enough to tell where things are that were found before it, and
/// when the light has shown it again.
///
/// The filter itself goes on: its velocity, tilt and biases are worth more than a new beginning. But a peer that is a state of the
/// filter would be corrected as if metres were little, and with it the device; so peers are taken out when the way is lost. What the
/// light shows of the velocity moves the position by metres, until it is known; from there on the device counts as known to be
/// where it is, in a world of its own (`InertialNavigation.beginEpoch`).
struct PositionLossMonitor {
  /// What has just happened to the way.
  enum Turn {
    case lost, found
  }

  /// What the way may lose without light, metres: root of the summed variances of the three coordinates.
  static let longestLoss = 2.0
  /// 1-sigma of a component of the velocity from which on the way is known again, m/s.
  static let closedFormVelocity = 0.1

  /// Summed variances of the position at the last frame that told something, m^2.
  private var known: Double?

  /// Takes what a frame has told; nil where nothing has changed.
  mutating func turn(after report: FrameReport, _ navigation: InertialNavigation) -> Turn? {
    let sees = report.tracksUsed > 0
    if navigation.isPositionLost {
      guard sees, navigation.velocitySigma < Self.closedFormVelocity else { return nil }
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

  /// Forgets everything.
  mutating func reset() { known = nil }
}
