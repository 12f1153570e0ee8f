import Geometry
import Inertial
import SensorData
import CameraGeometry

/// The frames seen while no trajectory has begun: what a start in motion is made from.
package struct InitializationWindow: Sendable {
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

  /// Median angle, rad/s, by which features have moved over the last half second (or what there is of it, at least half)
  /// beyond the turn that the gyroscope measured: what the device's own way did. Nil where the two cannot be compared.
  package func flow(to frame: CameraFrame, at time: Timestamp, _ samples: IMUBuffer, camera: FilterCamera) -> Double? {
    let span = RecentFrames.span
    guard let old = frames.first(where: { time.seconds(since: $0.time) <= span + 1e-6 }),
      case let seconds = time.seconds(since: old.time), seconds > 0.5 * span,
      let turn = Self.turn(samples, from: old.time, to: time)
    else { return nil }
    let imuFromCamera = camera.imuFromCamera.rotation
    let nowFromThen = imuFromCamera.inverse * turn.inverse * imuFromCamera
    var angles: [Double] = []
    var i = 0
    for feature in frame.features {
      while i < old.features.count, old.features[i].featureID < feature.featureID { i += 1 }
      guard i < old.features.count, old.features[i].featureID == feature.featureID,
        let before = camera.lens.direction(ofPixel: SIMD2(old.features[i].u, old.features[i].v)),
        let after = camera.lens.direction(ofPixel: SIMD2(feature.u, feature.v))
      else { continue }
      angles.append((nowFromThen * before).cross(after).norm)
    }
    guard angles.count >= RecentFrames.fewest else { return nil }
    return Disparity.median(&angles).map { $0 / seconds }
  }

  /// The attitude at `end` in the axes of `start` by the gyroscope alone; nil when its samples do not reach that far.
  private static func turn(_ samples: IMUBuffer, from start: Timestamp, to end: Timestamp) -> Rotation? {
    var startFromHere = Rotation.identity
    var here = start
    for sample in samples.samples(after: start, before: end) {
      startFromHere = startFromHere * Rotation.exp(sample.timestamp.seconds(since: here) * sample.angularVelocity)
      here = sample.timestamp
    }
    return end.seconds(since: here) <= InertialNoise.dropoutSpacing ? startFromHere : nil
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
