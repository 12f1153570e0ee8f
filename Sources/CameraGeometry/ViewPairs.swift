import SensorData

/// Pairs of frames of one camera, a fifth of a second apart, at most four a second.
package struct ViewPairs: Sendable {
  /// Seconds between the frames of a pair, and between pairs.
  package static let span = 0.2, spacing = 0.24

  private var frames: [CameraFrame] = []
  private var last: Timestamp?

  /// No frames yet.
  package init() {}

  /// Takes a frame in, in time order; its partner where a pair is due.
  package mutating func partner(of frame: CameraFrame) -> CameraFrame? {
    frames.append(frame)
    let now = frame.timestamp
    while frames.count > 2, now.seconds(since: frames[1].timestamp) >= Self.span - 1e-6 { frames.removeFirst() }
    guard let old = frames.first, now.seconds(since: old.timestamp) >= 0.75 * Self.span,
      now.seconds(since: old.timestamp) <= 0.5,
      now.seconds(since: last ?? Timestamp(nanoseconds: .min)) >= Self.spacing - 1e-6
    else { return nil }
    last = now
    return old
  }
}
