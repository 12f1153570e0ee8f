import Datasets
import Images
import Report
import SensorData

/// Collects what the first camera saw at chosen moments while a recording is replayed: tracks, and its picture where there
/// is one.
struct CameraReplay {
  /// Tracks are drawn over this long, seconds, in at most `mostPoints` positions.
  private static let tail = 0.5
  private static let mostPoints = 6
  /// Most tracks of a moment.
  private static let mostTracks = 200

  private let calibration: CameraCalibration
  private let images: ImageLookup?
  private let pictureLimit: Int?
  private var wanted: [Timestamp]
  private var history: [(stamp: Timestamp, features: [FeatureObservation])] = []
  private var moments: [CameraView.Moment] = []

  /// Moments of a recording; nil without a camera.
  ///
  /// - Parameter pictureLimit: most bytes of a picture; nil for none.
  init?(_ recording: Recording, at wanted: [Timestamp], pictureLimit: Int?) {
    guard let calibration = recording.rig.cameras.first, !wanted.isEmpty else { return nil }
    (self.calibration, self.pictureLimit, self.wanted) = (calibration, pictureLimit, wanted)
    images = pictureLimit == nil ? nil : (try? recording.images(camera: 0)) ?? nil
  }

  /// Sees an event. The first frame from a wanted moment on is taken.
  mutating func see(_ event: SensorEvent) {
    guard case .frame(let frame) = event, frame.camera == 0 else { return }
    history.append((frame.timestamp, frame.features))
    history.removeAll { frame.timestamp.seconds(since: $0.stamp) > Self.tail }
    if let next = wanted.first, frame.timestamp >= next { take() }
  }

  /// The view; nil where no frame came.
  mutating func finish() -> CameraView? {
    // The run's end may be after the last frame.
    if !wanted.isEmpty { take() }
    guard !moments.isEmpty else { return nil }
    return CameraView(width: calibration.width, height: calibration.height, moments: moments)
  }

  private mutating func take() {
    guard let now = history.last, moments.last?.timestamp != now.stamp else { return }
    wanted.removeAll { $0 <= now.stamp }
    var positions: [Int64: [CameraView.Point]] = [:]
    let step = max(1, (history.count - 1) / (Self.mostPoints - 1))
    // Every few frames, counted from the newest.
    let frames = stride(from: history.count - 1, through: 0, by: -step).reversed()
    let shown = Set(now.features.prefix(Self.mostTracks).map(\.featureID))
    for index in frames {
      for feature in history[index].features where shown.contains(feature.featureID) {
        positions[feature.featureID, default: []].append(.init(u: feature.u, v: feature.v))
      }
    }
    moments.append(
      .init(
        timestamp: now.stamp,
        tracks: now.features.prefix(Self.mostTracks).compactMap { positions[$0.featureID].map(CameraView.Track.init) },
        picture: picture(at: now.stamp)))
  }

  /// The frame's picture as a JPEG of at most the limit; nil where there is none.
  private func picture(at stamp: Timestamp) -> [UInt8]? {
    guard let limit = pictureLimit, let image = try? images?.image(at: stamp) else { return nil }
    // Wider than this it is not seen on the page.
    for factor in max(1, image.width / 512)...max(1, image.width) {
      guard let bytes = try? image.reduced(by: factor).jpeg(quality: 70) else { return nil }
      if bytes.count <= limit { return bytes }
    }
    return nil
  }
}
