import CameraGeometry
import SensorData

/// The frames of the last half second, to detect a still image.
struct RecentFrames {
  /// Length of the memory, seconds.
  static let span = 0.5
  /// Fewest common features for a decision.
  static let fewest = 10

  private var frames: [CameraFrame] = []

  /// Stores a frame and returns the motion since the oldest stored frame; nil with too few common features or too short
  /// an interval.
  mutating func motion(to frame: CameraFrame, camera: FilterCamera) -> ImageMotion? {
    frames.removeAll { frame.timestamp.seconds(since: $0.timestamp) > Self.span || $0.timestamp >= frame.timestamp }
    defer { frames.append(frame) }
    guard let oldest = frames.first, case let seconds = frame.timestamp.seconds(since: oldest.timestamp),
      seconds > 0.5 * Self.span,
      let (pixels, count) = Disparity.median(from: oldest.features, to: frame.features), count >= Self.fewest
    else { return nil }
    let rotation =
      pixels < ImageMotion.farthest(camera, isStationary: true)
      ? ImageRotation(from: oldest.features, to: frame.features, lens: camera.lens, fewest: Self.fewest) : nil
    return ImageMotion(disparity: pixels, rotation: rotation, seconds: seconds)
  }
}
