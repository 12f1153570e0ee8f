import Geometry
import SensorData

/// The light that a camera receives.
enum CameraLight {
  /// The lit room.
  case room
  /// No light: the lamps are off, or the phone lies on its lens.
  case none
  /// The glow of a hand on the lens.
  case throughTheHand

  /// Mean brightness, 0 black ... 1 white, where the exposure cannot reach its target; nil where it can.
  var meanLuma: Double? {
    switch self {
    case .room: nil
    case .none: 0.02
    case .throughTheHand: 0.12
    }
  }
}

/// A camera with a feature tracker: which landmarks are tracked, for how long, and at which pixels.
///
/// A track keeps its id for its lifetime and is never resumed: a landmark observed again after a loss gets a new id, as
/// with a real tracker. A second camera observes the tracks of the first under the same ids.
struct CameraSimulator {
  private struct Track {
    let id: Int64
    let end: Double
    let slide: SIMD2<Double>
    let begin: Double
  }

  private let settings: Scenario.Camera
  private let views: [CameraView]
  private let landmarks: MovingLandmarks
  private var random: SeededRandom
  private var pixels: [SeededRandom]
  private var luma: SeededRandom
  private var tracks: [Int: Track] = [:]
  private var nextID: Int64 = 0

  private init(_ settings: Scenario.Camera, views: [CameraView], landmarks: MovingLandmarks, seed: UInt64) {
    self.settings = settings
    self.views = views
    self.landmarks = landmarks
    random = RandomStream.tracks.generator(seed: seed)
    pixels = [RandomStream.pixels, .secondPixels].map { $0.generator(seed: seed) }
    luma = RandomStream.luma.generator(seed: seed)
  }

  /// All frames along a motion, in time order, dark ones included; frames of the same time are ordered by camera.
  ///
  /// - Parameter light: the light at a time, seconds.
  static func frames(
    _ settings: Scenario.Camera, views: [CameraView], landmarks: MovingLandmarks, duration: Double, start: Timestamp,
    seed: UInt64, light: (Double) -> CameraLight
  ) -> [CameraFrame] {
    var simulator = CameraSimulator(settings, views: views, landmarks: landmarks, seed: seed)
    var dropping = RandomStream.droppedFrames.generator(seed: seed)
    var dropped = TwoStateChain(
      probability: settings.droppedShare, dwell: settings.droppedDwell, step: 1 / settings.rate,
      isOn: dropping.chance(settings.droppedShare))
    return (0..<(Int(duration * settings.rate) + 1)).flatMap { k -> [CameraFrame] in
      let time = Double(k) / settings.rate
      // The tracker also processes dropped frames, so drops do not change the other frames.
      let frames = simulator.frames(
        at: time, stamp: start.advanced(bySeconds: time - settings.timeOffset), light: light(time))
      defer { _ = dropped.advance(dropping.uniform()) }
      return dropped.isOn ? [] : frames
    }
  }

  private mutating func frames(at time: Double, stamp: Timestamp, light: CameraLight) -> [CameraFrame] {
    let flicker = luma.gaussian()
    if let luma = light.meanLuma {
      tracks = [:]
      return views.indices.map {
        CameraFrame(timestamp: stamp, camera: $0, features: [], meanLuma: max(0, luma + 0.002 * flicker))
      }
    }
    let points = landmarks.points(at: time)
    let seen = views[0].seen(points, at: time)
    keepAndRefill(seen, at: time)
    return views.indices.map { camera in
      let seen = camera == 0 ? seen : views[camera].seen(points, at: time)
      return CameraFrame(
        timestamp: stamp, camera: camera, features: features(seen, in: camera, at: time),
        meanLuma: 0.5 + 0.01 * flicker)
    }
  }

  private mutating func features(
    _ seen: [(landmark: Int, u: Double, v: Double)], in camera: Int, at time: Double
  ) -> [FeatureObservation] {
    var features: [FeatureObservation] = []
    for (landmark, u, v) in seen {
      guard let track = tracks[landmark] else { continue }
      let slide = track.slide * (time - track.begin)
      features.append(
        FeatureObservation(
          featureID: track.id, u: u + slide.x + settings.pixelNoise * pixels[camera].gaussian(),
          v: v + slide.y + settings.pixelNoise * pixels[camera].gaussian()))
    }
    return features.sorted { $0.featureID < $1.featureID }
  }

  /// Ends the tracks that are not visible or too old, and starts others in the free cells of the image.
  private mutating func keepAndRefill(_ seen: [(landmark: Int, u: Double, v: Double)], at time: Double) {
    var kept: [Int: Track] = [:]
    var taken = Set<Int>()
    for (landmark, u, v) in seen {
      guard let track = tracks[landmark], track.end > time else { continue }
      kept[landmark] = track
      taken.insert(cell(u, v))
    }
    tracks = kept
    var untracked = seen.filter { kept[$0.landmark] == nil }
    // First one for each free cell, as a corner detector with a grid would; then anywhere.
    for onlyFreeCells in [true, false] {
      untracked.shuffle(using: &random)
      for (landmark, u, v) in untracked where tracks.count < settings.tracks && tracks[landmark] == nil {
        if !onlyFreeCells || taken.insert(cell(u, v)).inserted { tracks[landmark] = newTrack(at: time) }
      }
    }
  }

  private func cell(_ u: Double, _ v: Double) -> Int { Int(v / 48) * 100 + Int(u / 48) }

  private mutating func newTrack(at time: Double) -> Track {
    nextID += 1
    var slide = SIMD2<Double>.zero
    if random.chance(settings.outlierShare) {
      let direction = random.direction()
      slide = SIMD2(direction.x, direction.y) * 60
    }
    return Track(id: nextID, end: time + random.exponential(mean: settings.trackLife), slide: slide, begin: time)
  }
}
