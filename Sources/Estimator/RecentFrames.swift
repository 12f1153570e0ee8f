import SensorData
import CameraGeometry

/// The frames of the last half second, to tell whether the picture stands still.
struct RecentFrames {
  /// Length of the memory, seconds.
  static let span = 0.5
  /// Fewest common features for a verdict.
  static let fewest = 10

  private var frames: [CameraFrame] = []

  /// Remembers a frame and returns what moved since the oldest frame remembered; nil with too few features in common or too
  /// little time in between.
  mutating func motion(to frame: CameraFrame, camera: FilterCamera) -> ImageMotion? {
    frames.removeAll { frame.timestamp.seconds(since: $0.timestamp) > Self.span || $0.timestamp >= frame.timestamp }
    defer { frames.append(frame) }
    guard let oldest = frames.first, case let seconds = frame.timestamp.seconds(since: oldest.timestamp),
      seconds > 0.5 * Self.span,
      let (pixels, count) = Disparity.median(from: oldest.features, to: frame.features), count >= Self.fewest
    else { return nil }
    let turn =
      pixels < ImageMotion.farthest(camera, isResting: true)
      ? ImageRotation(from: oldest.features, to: frame.features, lens: camera.lens, fewest: Self.fewest) : nil
    return ImageMotion(disparity: pixels, turn: turn, seconds: seconds)
  }
}
