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

/// Projection of world points into one camera along a motion: lens, rolling shutter, occlusion by walls.
struct CameraView {
  /// The camera.
  let camera: CameraCalibration
  private let lens: Lens
  private let motion: PoseSpline
  /// Seconds from the first row to the last.
  let rowSkew: Double
  private let walls: [Scenario.Wall]

  /// - Parameter rowSkew: seconds from the first row to the last.
  init(_ camera: CameraCalibration, along motion: PoseSpline, rowSkew: Double, walls: [Scenario.Wall]) {
    self.camera = camera
    self.motion = motion
    self.rowSkew = rowSkew
    self.walls = walls.filter(\.isOpaque)
    lens = Lens(camera)
  }

  /// Indices in `landmarks` of the points visible in the frame whose middle row is exposed at `time` seconds, with
  /// their raw pixels, without noise.
  func seen(_ landmarks: [Vector3], at time: Double) -> [(landmark: Int, u: Double, v: Double)] {
    let middle = worldFromCamera(at: time)
    let cameraFromWorld = middle.inverse
    return landmarks.indices.compactMap { index in
      guard let pixel = lens.pixel(of: cameraFromWorld * landmarks[index]),
        let shifted = rowSkew > 0 ? onItsRow(pixel, landmarks[index], at: time) : pixel,
        !walls.contains(where: { $0.intersectsSegment(from: middle.translation, to: landmarks[index]) })
      else { return nil }
      return (index, shifted.u, shifted.v)
    }
  }

  /// The pixel of a point at the exposure time of its own row: the fixed point of "row -> time -> pose -> row". Three
  /// iterations reach 0.001 pixels, since a hand moves little within a frame.
  private func onItsRow(
    _ pixel: (u: Double, v: Double), _ landmark: Vector3, at time: Double
  ) -> (u: Double, v: Double)? {
    var pixel = pixel
    for _ in 0..<3 {
      let cameraFromWorld = worldFromCamera(at: time, row: pixel.v).inverse
      guard let next = lens.pixel(of: cameraFromWorld * landmark) else { return nil }
      pixel = next
    }
    return pixel
  }

  /// The camera's pose at the exposure of a row, of the frame whose middle row is exposed at `time` seconds.
  func worldFromCamera(at time: Double, row: Double) -> Pose {
    worldFromCamera(at: time + (row / Double(camera.height - 1) - 0.5) * rowSkew)
  }

  private func worldFromCamera(at time: Double) -> Pose {
    motion.kinematics(at: time).worldFromBody * camera.bodyFromCamera
  }
}

/// All landmarks at any time: the stationary ones of the room and those of its movers.
struct MovingLandmarks {
  private let fixed: [Vector3]
  private let movers: [(mover: Scenario.Mover, points: [Vector3])]

  /// - Parameter fixed: the landmarks of the room.
  init(fixed: [Vector3], movers: [Scenario.Mover], seed: UInt64) {
    var random = RandomStream.movers.generator(seed: seed)
    self.fixed = fixed
    self.movers = movers.map { mover in
      let size = Vector3(mover.width, mover.width, mover.height)
      let points = (0..<mover.landmarks).map { _ in
        RoomLandmarks.surfacePoint(from: -0.5 * size, to: 0.5 * size, &random)
      }
      return (mover, points)
    }
  }

  /// The landmarks at a time, seconds, always in the same order: the room's first.
  func points(at time: Double) -> [Vector3] {
    movers.reduce(into: fixed) { points, mover in
      let middle = mover.mover.position(at: time)
      points += mover.points.map { middle + $0 }
    }
  }
}

/// The stationary landmarks, and the furniture that the seed places in the room.
struct RoomLandmarks {
  /// A piece of furniture: opposite corners, world, metres.
  struct Box: Equatable, Sendable {
    var low: Vector3
    var high: Vector3
  }

  /// All landmarks.
  private(set) var points: [Vector3] = []
  /// All furniture.
  private(set) var furniture: [Box] = []

  /// Landmarks on the six faces of the room, uniform except on blank faces; on boxes of furniture along the walls; and
  /// on the walls inside.
  init(_ room: Scenario.Room, walls: [Scenario.Wall], seed: UInt64) {
    var random = RandomStream.room.generator(seed: seed)
    for _ in 0..<room.landmarks {
      let point = Self.surfacePoint(from: room.low, to: room.high, &random)
      if !room.isBlank(point) { points.append(point) }
    }
    for _ in 0..<room.furniture {
      let size = Vector3(random.uniform(0.3...0.8), random.uniform(0.3...0.8), random.uniform(0.5...1.8))
      let free = room.high - room.low - size
      guard free.x > 0, free.y > 0, free.z > 0 else { continue }
      var corner = room.low + Vector3(random.uniform(), random.uniform(), 0) * free
      // Against one of the four walls, which leaves the middle of the room free.
      switch random.next() % 4 {
      case 0: corner.x = room.low.x
      case 1: corner.x = room.high.x - size.x
      case 2: corner.y = room.low.y
      default: corner.y = room.high.y - size.y
      }
      furniture.append(Box(low: corner, high: corner + size))
      for _ in 0..<30 { points.append(Self.surfacePoint(from: corner, to: corner + size, &random)) }
    }
    var wallRandom = RandomStream.walls.generator(seed: seed)
    for wall in walls {
      for _ in 0..<wall.landmarks {
        let position = wall.from + (wall.to - wall.from) * wallRandom.uniform()
        points.append(Vector3(position.x, position.y, wallRandom.uniform(wall.bottom...wall.top)))
      }
    }
  }

  static func surfacePoint(from low: Vector3, to high: Vector3, _ random: inout SeededRandom) -> Vector3 {
    let size = high - low
    let areas = Vector3(size.y * size.z, size.x * size.z, size.x * size.y)
    let pick = random.uniform() * (areas.x + areas.y + areas.z)
    let axis = pick < areas.x ? 0 : pick < areas.x + areas.y ? 1 : 2
    var point = low + Vector3(random.uniform(), random.uniform(), random.uniform()) * size
    point[axis] = random.chance(0.5) ? low[axis] : high[axis]
    return point
  }
}
