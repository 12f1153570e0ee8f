import SensorData

/// Notices that the filter and the picture no longer agree: when nearly every track is refused for a second, it is the
/// state that is wrong and not the tracks, and a gate would keep it so for ever.
struct DivergenceMonitor {
  /// Length of the memory, seconds.
  static let span = 1.0
  /// Fewest refused tracks that make a verdict.
  static let fewest = 30
  /// Faster than anything that carries this device, m/s.
  static let absurdSpeed = 60.0

  private var counts: [(time: Timestamp, used: Int, refused: Int)] = []

  /// Takes what became of a frame's tracks; true when the state can no longer be trusted.
  mutating func isLost(after report: FrameReport, _ navigation: InertialNavigation) -> Bool {
    counts.removeAll { report.timestamp.seconds(since: $0.time) > Self.span }
    counts.append((report.timestamp, report.tracksUsed, report.tracksRejected))
    let used = counts.reduce(0) { $0 + $1.used }, refused = counts.reduce(0) { $0 + $1.refused }
    let contradicted = refused >= Self.fewest && refused > 3 * used
    return contradicted || !navigation.isHealthy || navigation.state.velocity.norm > Self.absurdSpeed
  }

  /// Forgets everything.
  mutating func reset() { counts.removeAll() }
}
