import Geometry
import SensorData

/// A camera with a feature tracker behind it: which landmarks are tracked, for how long, and where they are seen.
///
/// A track keeps its id as long as it lives and is never resumed: a landmark seen again after a loss gets a new id, as
/// with a real tracker.
struct CameraSimulator {
  private struct Track {
    let id: Int64
    let end: Double
    let slide: SIMD2<Double>
    let begin: Double
  }

  private let settings: Scenario.Camera
  private let camera: CameraCalibration
  private let lens: Lens
  private let landmarks: [Vector3]
  private var random: SeededRandom
  private var pixels: SeededRandom
  private var luma: SeededRandom
  private var tracks: [Int: Track] = [:]
  private var nextID: Int64 = 0

  init(_ settings: Scenario.Camera, camera: CameraCalibration, landmarks: [Vector3], seed: UInt64) {
    self.settings = settings
    self.camera = camera
    self.landmarks = landmarks
    lens = Lens(camera)
    random = RandomStream.tracks.generator(seed: seed)
    pixels = RandomStream.pixels.generator(seed: seed)
    luma = RandomStream.luma.generator(seed: seed)
  }

  /// All frames along a motion, in time order, dark ones included.
  static func frames(
    _ settings: Scenario.Camera, camera: CameraCalibration, landmarks: [Vector3], along motion: PoseSpline,
    start: Timestamp, seed: UInt64
  ) -> [CameraFrame] {
    var simulator = CameraSimulator(settings, camera: camera, landmarks: landmarks, seed: seed)
    let count = Int(motion.duration * settings.rate) + 1
    return (0..<count).map { k in
      let time = Double(k) / settings.rate
      return simulator.frame(
        at: time, stamp: start.advanced(bySeconds: time - settings.timeOffset),
        worldFromBody: motion.kinematics(at: time).worldFromBody)
    }
  }

  private mutating func frame(at time: Double, stamp: Timestamp, worldFromBody: Pose) -> CameraFrame {
    let flicker = luma.gaussian()
    if settings.dark.contains(where: { $0.contains(time) }) {
      tracks = [:]
      return CameraFrame(timestamp: stamp, features: [], meanLuma: max(0, 0.02 + 0.002 * flicker))
    }
    let cameraFromWorld = (worldFromBody * camera.bodyFromCamera).inverse
    var seen: [(landmark: Int, u: Double, v: Double)] = []
    for (index, landmark) in landmarks.enumerated() {
      if let pixel = lens.pixel(of: cameraFromWorld * landmark) { seen.append((index, pixel.u, pixel.v)) }
    }
    keepAndRefill(seen, at: time)
    var features: [FeatureObservation] = []
    for (landmark, u, v) in seen {
      guard let track = tracks[landmark] else { continue }
      let slide = track.slide * (time - track.begin)
      features.append(
        FeatureObservation(
          featureID: track.id, u: u + slide.x + camera.pixelNoise * pixels.gaussian(),
          v: v + slide.y + camera.pixelNoise * pixels.gaussian()))
    }
    features.sort { $0.featureID < $1.featureID }
    return CameraFrame(timestamp: stamp, features: features, meanLuma: 0.5 + 0.01 * flicker)
  }

  /// Ends the tracks that are out of sight or too old, and starts others in the free parts of the image.
  private mutating func keepAndRefill(_ seen: [(landmark: Int, u: Double, v: Double)], at time: Double) {
    var kept: [Int: Track] = [:]
    var taken = Set<Int>()
    for (landmark, u, v) in seen {
      guard let track = tracks[landmark], track.end > time else { continue }
      kept[landmark] = track
      taken.insert(cell(u, v))
    }
    tracks = kept
    var free = seen.filter { kept[$0.landmark] == nil }
    // First one for each free part of the image, as a corner detector with a grid would; then anywhere.
    for onlyFreeCells in [true, false] {
      free.shuffle(using: &random)
      for (landmark, u, v) in free where tracks.count < settings.tracks && tracks[landmark] == nil {
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
