import SensorData
import Vision

/// The frames of the last half second, to tell whether the picture stands still.
struct RecentFrames {
  /// Length of the memory, seconds.
  static let span = 0.5
  /// Fewest common features for a verdict.
  static let fewest = 10

  private var frames: [CameraFrame] = []

  /// Remembers a frame and returns the median distance, pixels, that features moved since the oldest frame remembered; nil
  /// with too few in common or too little time in between.
  mutating func disparity(to frame: CameraFrame) -> Double? {
    frames.removeAll { frame.timestamp.seconds(since: $0.timestamp) > Self.span || $0.timestamp >= frame.timestamp }
    defer { frames.append(frame) }
    guard let oldest = frames.first, frame.timestamp.seconds(since: oldest.timestamp) > 0.5 * Self.span,
      let (pixels, count) = Disparity.median(from: oldest.features, to: frame.features), count >= Self.fewest
    else { return nil }
    return pixels
  }
}
