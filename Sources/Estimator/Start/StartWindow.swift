import SensorData
import Vision

/// The frames seen while no trajectory has begun: what a start in motion is made from.
package struct StartWindow: Sendable {
  /// Longest stretch that is kept, seconds. Longer ones tell the velocity better, but let noise and a wandering bias grow.
  package static let longest = 2.0
  /// Most frames that are used of it.
  package static let mostFrames = 15

  private var frames: [(time: Timestamp, features: [FeatureObservation])] = []

  /// Empty.
  package init() {}

  /// Seconds from the first frame to the last.
  package var span: Double {
    guard let first = frames.first, let last = frames.last else { return 0 }
    return last.time.seconds(since: first.time)
  }

  /// Remembers a frame; `time` is its own on the IMU's clock. One that is not newer than the last is ignored.
  package mutating func add(_ frame: CameraFrame, at time: Timestamp) {
    if let last = frames.last, time <= last.time { return }
    frames.append((time, frame.features))
    frames.removeAll { time.seconds(since: $0.time) > Self.longest }
  }

  /// Forgets everything.
  package mutating func removeAll() { frames.removeAll() }

  /// At most `mostFrames` frames, evenly spread from the first to the last, and the tracks through them; sights refer to
  /// the frames by index.
  package func selection(lens: LensModel) -> (times: [Timestamp], tracks: [FeatureTrack]) {
    let count = min(frames.count, Self.mostFrames)
    guard count > 1 else { return (frames.map(\.time), []) }
    let chosen = (0..<count).map { frames[$0 * (frames.count - 1) / (count - 1)] }
    var living = FeatureTracks()
    var tracks: [FeatureTrack] = []
    for (i, frame) in chosen.enumerated() { tracks += living.observe(frame.features, lens: lens, poseID: i) }
    tracks += living.living
    return (chosen.map(\.time), tracks)
  }
}
