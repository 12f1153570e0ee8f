/// Notices when the way through a darkness is no longer known well enough to tell where things are that were found before it.
///
/// The filter itself goes on: its velocity, tilt and biases are worth more than a new beginning, and what the light shows afterwards
/// puts most of the way right. But a peer that is a state of the filter would be corrected as if all that were linear, and with it
/// the device; so it is taken out, and searched for anew.
struct PathThread {
  /// What the way may lose without light, metres: root of the summed variances of the three coordinates.
  static let longestLoss = 2.0

  /// Position variance of a coordinate at the last frame that told something, m^2.
  private var known: Double?
  private var isLost = false

  /// Takes what a frame has told; true where the way has just been lost.
  mutating func breaks(after report: FrameReport, _ navigation: InertialNavigation) -> Bool {
    let variance = navigation.positionVariance
    guard report.tracksUsed == 0, let known else {
      known = variance
      isLost = false
      return false
    }
    guard !isLost else { return false }
    isLost = 3 * (variance - known) > Self.longestLoss * Self.longestLoss
    return isLost
  }

  /// Forgets everything.
  mutating func reset() { self = PathThread() }
}
