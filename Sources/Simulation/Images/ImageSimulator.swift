import Geometry
import Images
import SensorData

/// Renders the images of the frames of a simulated recording, each independently of the others.
///
/// Feature tracks are simulated separately, from the same surfaces and poses. Landmarks are not marked in the images.
/// Furniture occludes only in the images.
package struct ImageSimulator: Sendable {
  /// The visible surfaces.
  package let scene: Scene
  private let simulator: Simulator
  private let camera: Scenario.Camera
  private let views: [CameraView]
  private let renderers: [Renderer]
  /// Texels along a side of the pattern: it repeats after 16 m.
  private static let textureSize = 4096

  /// The images of a scenario, or nil where it has no camera.
  ///
  /// - Parameter texture: the pattern on all surfaces; nil: drawn from the seed.
  package init?(_ simulator: Simulator, texture: Texture? = nil) {
    guard let camera = simulator.scenario.camera else { return nil }
    self.simulator = simulator
    self.camera = camera
    let scenario = simulator.scenario
    let furniture = RoomLandmarks(scenario.room, walls: scenario.walls, seed: simulator.seed).furniture
    let scene = Scene(scenario.room, furniture: furniture, walls: scenario.walls, seed: simulator.seed)
    let texture = texture ?? Self.pattern(of: simulator)
    self.scene = scene
    views = simulator.cameraViews
    renderers = views.map { Renderer(scene, texture: texture, camera: $0.camera) }
  }

  /// The pattern on all surfaces, drawn from a simulator's seed.
  package static func pattern(of simulator: Simulator) -> Texture {
    TexturePainter.pattern(size: textureSize, seed: simulator.seed)
  }

  /// The 8-bit image of a frame: exposed to the frame's mean brightness, with noise.
  package func image(of frame: CameraFrame) -> GrayImage {
    let calibration = views[frame.camera].camera
    let stream = RandomStream.image(camera: frame.camera, frame: number(of: frame))
    var random = SeededRandom(seed: simulator.seed, stream: stream)
    return ImageSensor.image(
      radiance(of: frame), width: calibration.width, height: calibration.height, meanLuma: frame.meanLuma ?? 0.5,
      random: &random)
  }

  /// The radiance of every pixel, 0 black ... 1 white, row-major, without noise; zeros in the dark.
  package func radiance(of frame: CameraFrame) -> [Float] {
    let view = views[frame.camera]
    let time = Double(number(of: frame)) / camera.rate
    var radiance = [Float](repeating: 0, count: view.camera.width * view.camera.height)
    switch simulator.light(at: time) {
    case .none: return radiance
    case .throughTheHand: return Self.glow(width: view.camera.width, height: view.camera.height)
    case .room: break
    }
    let moments = moments(about: time)
    for moment in moments {
      renderers[frame.camera].expose(
        &radiance, weight: 1 / Float(moments.count), hasRollingRows: view.rowSkew > 0
      ) { row in
        view.worldFromCamera(at: moment, row: view.rowSkew > 0 ? Double(row) : Double(view.camera.height - 1) / 2)
      }
    }
    return radiance
  }

  /// The surface point that a pixel of a frame shows, world, metres; nil where the lens has no ray.
  package func point(at pixel: SIMD2<Double>, in frame: CameraFrame) -> Vector3? {
    let view = views[frame.camera]
    let pose = view.worldFromCamera(at: Double(number(of: frame)) / camera.rate, row: pixel.y)
    guard let ray = Lens(view.camera).ray(u: pixel.x, v: pixel.y),
      let depth = renderers[frame.camera].depth(along: ray, worldFromCamera: pose)
    else { return nil }
    return pose * (Vector3(ray.x, ray.y, 1) * depth)
  }

  /// The raw pixel of a world point in a frame, occlusion ignored; nil outside the image.
  package func pixel(of point: Vector3, in frame: CameraFrame) -> SIMD2<Double>? {
    views[frame.camera].seen([point], at: Double(number(of: frame)) / camera.rate).first.map { SIMD2($0.u, $0.v) }
  }

  /// A finger on the lens: a smooth glow from one side, without edges.
  private static func glow(width: Int, height: Int) -> [Float] {
    (0..<width * height).map { index in
      let (y, x) = index.quotientAndRemainder(dividingBy: width)
      let (u, v) = (Float(x) / Float(width) - 0.6, Float(y) / Float(height) - 0.35)
      return max(0.1, 0.6 - 0.5 * (u * u + v * v))
    }
  }

  /// The frame's number from the start at the camera's rate, lost frames included.
  private func number(of frame: CameraFrame) -> Int {
    Int(((frame.timestamp.seconds(since: Simulator.start) + camera.timeOffset) * camera.rate).rounded())
  }

  /// The times within an exposure at which the image is rendered, for motion blur. Between two of them a point at 1 m
  /// moves by at most one pixel; at most 64 times.
  private func moments(about time: Double) -> [Double] {
    guard camera.shutter.exposure > 0 else { return [time] }
    let state = simulator.motion.kinematics(at: time)
    let blur = (state.angularVelocity.norm + state.velocity.norm) * camera.focalLength * camera.shutter.exposure
    let count = min(64, 1 + Int(min(blur, 100).rounded(.up)))
    return (0..<count).map { time + ((Double($0) + 0.5) / Double(count) - 0.5) * camera.shutter.exposure }
  }
}

/// Converts radiance to 8-bit grey: exposure, shot noise, read noise.
package enum ImageSensor {
  /// Electrons of a white pixel: the variance of its shot noise.
  package static let fullWell: Float = 10_000
  /// Noise of an unlit pixel, 1-sigma, grey levels.
  package static let readNoise: Float = 1.2

  /// The image of `radiance` (0 black ... 1 white), exposed automatically to the mean brightness `meanLuma`. Without
  /// any light every pixel is `meanLuma` plus noise.
  package static func image(
    _ radiance: [Float], width: Int, height: Int, meanLuma: Double, random: inout SeededRandom
  ) -> GrayImage {
    let gain = gain(radiance, meanLuma: Float(meanLuma))
    let darkLevel = gain > 0 ? 0 : Float(meanLuma)
    var pixels = [UInt8](repeating: 0, count: radiance.count)
    var bits: UInt64 = 0
    normals.withUnsafeBufferPointer { normals in
      for index in radiance.indices {
        if index & 3 == 0 { bits = random.next() }
        let level = 255 * min(gain * radiance[index] + darkLevel, 1)
        let variance = readNoise * readNoise + level * (255 / fullWell)
        let value = level + variance.squareRoot() * normals[Int(bits & 0x3FFF)]
        bits >>= 16
        pixels[index] = UInt8(min(max(value + 0.5, 0), 255))
      }
    }
    return GrayImage(width: width, height: height, pixels: pixels)
  }

  /// The gain g with mean(min(g radiance, 1)) = `meanLuma`; 0 without light.
  private static func gain(_ radiance: [Float], meanLuma: Float) -> Float {
    var gain: Float = 1
    for _ in 0..<30 {
      // Double: a sum over 300 000 pixels exceeds the precision of Float.
      let sum = radiance.reduce(into: 0.0) { $0 += Double(min(gain * $1, 1)) }
      let mean = Float(sum / Double(radiance.count))
      guard mean > 1e-6 else { return 0 }
      gain *= meanLuma / mean
      if abs(mean - meanLuma) < 1e-5 { break }
    }
    return gain
  }

  /// Table of standard normal draws, each with its negative: computing them per pixel takes longer than rendering.
  private static let normals: [Float] = {
    var random = SeededRandom(seed: 0)
    return (0..<8192).flatMap { _ -> [Float] in
      let value = Float(random.gaussian())
      return [value, -value]
    }
  }()
}
