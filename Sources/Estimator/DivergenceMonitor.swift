import SensorData

/// Detects divergence of the filter: if the chi-square gate rejects nearly all tracks for a second, the state is wrong,
/// and the gate would prevent recovery.
struct DivergenceMonitor {
  /// Length of the window, seconds.
  static let span = 1.0
  /// Fewest rejected tracks for a decision.
  static let fewest = 30
  /// Speed beyond any carrier in scope, m/s.
  static let largestSpeed = 60.0

  private var counts: [(time: Timestamp, used: Int, refused: Int)] = []

  /// Processes a frame's outcome; true when the filter has diverged.
  mutating func isLost(after report: FrameReport, _ navigation: InertialNavigation) -> Bool {
    counts.removeAll { report.timestamp.seconds(since: $0.time) > Self.span }
    counts.append((report.timestamp, report.tracksUsed, report.tracksRejected))
    let used = counts.reduce(0) { $0 + $1.used }, refused = counts.reduce(0) { $0 + $1.refused }
    let contradicted = refused >= Self.fewest && refused > 3 * used
    return contradicted || !navigation.isHealthy || navigation.state.velocity.norm > Self.largestSpeed
  }

  /// Clears the window.
  mutating func reset() { counts.removeAll() }
}
