import CameraGeometry
import Geometry
import Inertial
import SensorData

/// The frames received before initialisation: input of the dynamic initialiser.
package struct InitializationWindow: Sendable {
  /// Longest window, seconds. A longer one determines the velocity better, but noise and bias drift grow.
  package static let longest = 2.0
  /// Most frames used.
  package static let mostFrames = 15

  private var frames: [(time: Timestamp, features: [FeatureObservation])] = []

  /// Empty.
  package init() {}

  /// Seconds from the first frame to the last.
  package var span: Double {
    guard let first = frames.first, let last = frames.last else { return 0 }
    return last.time.seconds(since: first.time)
  }

  /// Appends a frame; `time` is its own on the IMU's clock. Ignored if not newer than the last.
  package mutating func add(_ frame: CameraFrame, at time: Timestamp) {
    if let last = frames.last, time <= last.time { return }
    frames.append((time, frame.features))
    frames.removeAll { time.seconds(since: $0.time) > Self.longest }
  }

  /// Median rotation-compensated flow of the features, rad/s, over the last half second (at least half of that): the
  /// effect of translation. The gyroscope supplies the rotation. Nil if there is no comparable frame.
  package func flow(to frame: CameraFrame, at time: Timestamp, _ samples: IMUBuffer, camera: FilterCamera) -> Double? {
    let span = RecentFrames.span
    guard let old = frames.first(where: { time.seconds(since: $0.time) <= span + 1e-6 }),
      case let seconds = time.seconds(since: old.time), seconds > 0.5 * span,
      let gyroscopeRotation = Self.gyroscopeRotation(samples, from: old.time, to: time)
    else { return nil }
    let imuFromCamera = camera.imuFromCamera.rotation
    let nowFromThen = imuFromCamera.inverse * gyroscopeRotation.inverse * imuFromCamera
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

  /// Rotation from `end` to `start` by the gyroscope alone; nil when its samples do not reach `end`.
  private static func gyroscopeRotation(_ samples: IMUBuffer, from start: Timestamp, to end: Timestamp) -> Rotation? {
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

  /// At most `mostFrames` frames, evenly spread from the first to the last, and the tracks through them; observations
  /// refer to the frames by index.
  package func selection(lens: LensModel) -> (times: [Timestamp], tracks: [FeatureTrack]) {
    let count = min(frames.count, Self.mostFrames)
    guard count > 1 else { return (frames.map(\.time), []) }
    let selected = (0..<count).map { frames[$0 * (frames.count - 1) / (count - 1)] }
    var living = FeatureTracks()
    var tracks: [FeatureTrack] = []
    for (i, frame) in selected.enumerated() { tracks += living.observe(frame.features, lens: lens, poseID: i) }
    tracks += living.living
    return (selected.map(\.time), tracks)
  }
}
