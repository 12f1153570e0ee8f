import Foundation
import Geometry
import SensorData
import Simulation
import SimulationTestSupport
import Testing

/// The images show the room from the true pose of the camera, consistent with the tracks.
@Suite struct RenderingTests {
  private static func scenario(_ change: (inout Scenario.Camera) -> Void = { _ in }) -> Scenario {
    let swing = HandMotion.Swing(amplitude: Angle.degrees(50), period: 4)
    let arc = HandMotion.arc(
      duration: 4, arm: 0.6, horizontal: swing, vertical: HandMotion.Swing(amplitude: 0.4, period: 3))
    var scenario = Scenario(
      name: "arc", summary: "-", peers: [], motion: [.motion(.hold(duration: 0.5)), .motion(arc)])
    scenario.room.low = Vector3(-2, -3, -1.3)
    scenario.room.high = Vector3(4, 3, 1.4)
    scenario.room.landmarks = 400
    scenario.room.furniture = 0
    scenario.camera!.pixelNoise = 0
    scenario.camera!.tracks = 1000
    change(&scenario.camera!)
    return scenario
  }

  private static func frames(_ simulator: Simulator) -> [CameraFrame] {
    simulator.events().compactMap { if case .frame(let frame) = $0.event { frame } else { nil } }
  }

  private static func pose(_ simulator: Simulator, _ frame: CameraFrame) -> Pose {
    let camera = simulator.rig.cameras[frame.camera]
    let time = frame.timestamp.seconds(since: Simulator.start) + camera.timeOffset
    return simulator.motion.kinematics(at: time).worldFromBody * camera.bodyFromCamera
  }

  // MARK: Images and tracks

  struct Trial: Sendable, CustomTestStringConvertible {
    var name: String
    var lens: CameraCalibration.Distortion
    var offset = 0.02
    var skew = 0.0
    var exposure = 0.0
    var testDescription: String { name }
  }

  private static let trials = [
    Trial(name: "pinhole", lens: .none),
    Trial(
      name: "radial-tangential", lens: .radialTangential(k1: -0.28340811, k2: 0.07395907, p1: 0.00019359, p2: 1.8e-05)),
    Trial(name: "equidistant", lens: .equidistant(k1: 0.0034, k2: 0.0007, k3: -0.0020, k4: 0.0002), offset: -0.02),
    Trial(name: "fov", lens: .fieldOfView(w: 0.9325)),
    Trial(name: "rolling rows", lens: .fieldOfView(w: 0.5), offset: 0, skew: 0.025),
    Trial(name: "long exposure", lens: .none, exposure: 0.008),
  ]

  /// The texture has a bright dot at every landmark and nothing else. The dot's centroid in the image must be at the
  /// track's pixel.
  @Test(arguments: trials) func imagesAndTracksAgree(_ trial: Trial) throws {
    let scenario = Self.scenario {
      $0.distortion = trial.lens
      $0.timeOffset = trial.offset
      $0.shutter.rowSkew = trial.skew
      $0.shutter.exposure = trial.exposure
    }
    let simulator = try Simulator(scenario: scenario, seed: 5)
    let facets = try #require(ImageSimulator(simulator)).scene.facets
    let dots = Dots(on: facets, at: simulator.landmarks)
    let images = try #require(ImageSimulator(simulator, texture: dots.texture))
    let camera = simulator.rig.cameras[0]
    let lens = Lens(camera)
    let frames = Self.frames(simulator)
    let reach = trial.exposure > 0 ? 12 : 8
    var errors: [SIMD2<Double>] = []
    for frame in stride(from: 12, to: frames.count, by: 9).map({ frames[$0] }) {
      let cameraFromWorld = Self.pose(simulator, frame).inverse
      // All occurrences of the dots where the pattern repeats, in pixels.
      let all = dots.occurrences.compactMap { occurrence in lens.pixel(of: cameraFromWorld * occurrence.point) }
      let image = images.radiance(of: frame)
      for feature in frame.features {
        // With rolling rows the track is a few pixels off the pose of the middle row.
        let own = dots.occurrences.min { a, b in
          func distance(_ point: Vector3) -> Double {
            guard let pixel = lens.pixel(of: cameraFromWorld * point) else { return .infinity }
            return pow(pixel.u - feature.u, 2) + pow(pixel.v - feature.v, 2)
          }
          return distance(a.point) < distance(b.point)
        }!
        let isAlone =
          all.count { max(abs($0.u - feature.u), abs($0.v - feature.v)) < Double(reach) + (trial.skew > 0 ? 16 : 8) }
          == 1
        let view = cameraFromWorld * own.point
        let slant = abs((cameraFromWorld.rotation * own.normal).dot(view.normalized))
        guard isAlone, own.margin > 0.3, view.norm > 2.2, slant > 0.4 else { continue }
        guard let centre = Self.centroid(image, camera.width, camera.height, about: feature, reach: reach) else {
          continue
        }
        errors.append(centre - SIMD2(feature.u, feature.v))
      }
    }
    #expect(errors.count > 40)
    let worst = errors.map { ($0 * $0).sum().squareRoot() }.max() ?? .infinity
    let mean = errors.reduce(.zero, +) / Double(errors.count)
    #expect(worst < 0.1, "of \(errors.count) dots")
    // No common shift: images and tracks use the same pixel origin.
    #expect(abs(mean.x) < 0.02 && abs(mean.y) < 0.02)
  }

  private static func centroid(
    _ image: [Float], _ width: Int, _ height: Int, about feature: FeatureObservation, reach: Int
  ) -> SIMD2<Double>? {
    let (column, row) = (Int(feature.u.rounded()), Int(feature.v.rounded()))
    guard column >= reach, row >= reach, column + reach < width, row + reach < height else { return nil }
    var window: [(SIMD2<Double>, Double)] = []
    for y in row - reach...row + reach {
      for x in column - reach...column + reach {
        window.append((SIMD2(Double(x), Double(y)), Double(image[y * width + x])))
      }
    }
    let ground = window.map(\.1).min()!
    let sum = window.reduce(0) { $0 + $1.1 - ground }
    guard sum > 0 else { return nil }
    return window.reduce(.zero) { $0 + $1.0 * ($1.1 - ground) } / sum
  }

  // MARK: Planes

  /// Two images of one plane differ by the homography `K (R + t n^T / d) K^-1` (camera b from camera a, plane n.x = d
  /// in a).
  @Test func aPlaneFollowsItsHomography() throws {
    let simulator = try Simulator(scenario: Self.scenario { $0.distortion = .none }, seed: 6)
    let size = 1024
    // Waves of some 40 cm in all directions: bilinear interpolation is exact enough for them.
    let texels = (0..<size * size).map { index -> UInt8 in
      let (x, y) = (Double(index % size), Double(index / size))
      let angularStep = 2 * Double.pi / Double(size)
      let wave = sin(10 * angularStep * x) + sin(angularStep * (7 * x + 6 * y)) + sin(9 * angularStep * y + 1)
      return UInt8(128 + 40 * wave)
    }
    let images = try #require(ImageSimulator(simulator, texture: Texture(size: size, finest: texels)))
    let frames = Self.frames(simulator)
    let camera = simulator.rig.cameras[0]
    let pinhole = Matrix3(rows: Vector3(camera.fx, 0, camera.cx), Vector3(0, camera.fy, camera.cy), Vector3(0, 0, 1))
    for (first, second) in [(14, 17), (48, 50), (49, 52)] {
      let (a, b) = (images.radiance(of: frames[first]), images.radiance(of: frames[second]))
      let (worldFromA, worldFromB) = (Self.pose(simulator, frames[first]), Self.pose(simulator, frames[second]))
      let bFromA = worldFromB.inverse * worldFromA
      // The wall ahead, x = 4 m.
      let normal = worldFromA.rotation.inverse * Vector3(1, 0, 0)
      let distance = 4 - worldFromA.translation.x
      let rotation = bFromA.rotation.matrix
      let plane = rotation + Matrix3(outer: bFromA.translation, normal) * (1 / distance)
      let homography = pinhole * plane * pinhole.inverse!
      var (squares, shifted, count) = (0.0, 0.0, 0.0)
      for y in stride(from: 5, to: 475, by: 3) {
        for x in stride(from: 5, to: 635, by: 3) {
          // Only pixels of that wall, half a metre from its edges.
          let ray = pinhole.inverse! * Vector3(Double(x), Double(y), 1)
          let point = worldFromA * (ray * (distance / normal.dot(ray)))
          guard normal.dot(ray) > 0, abs(point.y) < 2.5, point.z > -0.8, point.z < 0.9 else { continue }
          let q = homography * Vector3(Double(x), Double(y), 1)
          let (u, v) = (q.x / q.z, q.y / q.z)
          guard q.z > 0, u > 3, v > 3, u < 635, v < 475 else { continue }
          let value = Double(a[y * 640 + x])
          squares += pow(value - Self.interpolated(b, u, v), 2)
          shifted += pow(value - Self.interpolated(b, u + 1, v + 1), 2)
          count += 1
        }
      }
      #expect(count > 5000)
      let (error, reference) = ((squares / count).squareRoot(), (shifted / count).squareRoot())
      // The error is below a tenth of that of a shift by one pixel.
      #expect(error < 0.1 * reference)
    }
  }

  private static func interpolated(_ image: [Float], _ u: Double, _ v: Double) -> Double {
    let (x, y) = (Int(u), Int(v))
    let (s, t) = (u - Double(x), v - Double(y))
    func at(_ x: Int, _ y: Int) -> Double { Double(image[y * 640 + x]) }
    return (at(x, y) * (1 - s) + at(x + 1, y) * s) * (1 - t) + (at(x, y + 1) * (1 - s) + at(x + 1, y + 1) * s) * t
  }

  // MARK: Surfaces

  /// With one shade per face every pixel has the shade of the surface that a plain ray caster finds: no holes, no
  /// seams, correct occlusion. At an edge either side is accepted.
  @Test(arguments: ["wall", "search-walk", "arc"]) func everyPixelShowsTheNearestSurface(_ name: String) throws {
    var scenario = try Scenario.named(name)
    scenario.room.furniture = 25
    if name == "arc" { scenario.camera!.shutter.rowSkew = 0.03 }
    let simulator = try Simulator(scenario: scenario, seed: 9)
    let images = try #require(ImageSimulator(simulator, texture: Texture(size: 2, finest: [128, 128, 128, 128])))
    let camera = simulator.rig.cameras[0]
    let lens = Lens(camera)
    var random = SeededRandom(seed: 10)
    let frames = Self.frames(simulator)
    var seen = Set<Int>()
    for frame in stride(from: 0, to: frames.count, by: max(1, frames.count / 6)).map({ frames[$0] }) {
      let image = images.radiance(of: frame)
      #expect(image.allSatisfy { $0 > 0.05 })
      for _ in 0..<2000 {
        let (x, y) = (Int(random.next() % 640), Int(random.next() % 480))
        var time = frame.timestamp.seconds(since: Simulator.start)
        time += (Double(y) / 479 - 0.5) * scenario.camera!.shutter.rowSkew
        let worldFromCamera = simulator.motion.kinematics(at: time).worldFromBody * camera.bodyFromCamera
        let facets = [(0.0, 0.0), (0.01, 0), (-0.01, 0), (0, 0.01), (0, -0.01)].compactMap { du, dv -> Int? in
          guard let ray = lens.ray(u: Double(x) + du, v: Double(y) + dv) else { return nil }
          return Self.nearest(
            images.scene.facets, from: worldFromCamera.translation,
            along: worldFromCamera.rotation * Vector3(ray.x, ray.y, 1))
        }
        seen.formUnion(facets)
        let isRight = facets.contains { facet in
          let surface = images.scene.facets[facet]
          return abs(image[y * 640 + x] - (surface.brightness + surface.contrast * (128.0 / 255 - 0.5))) < 1e-5
        }
        #expect(isRight, "pixel \(x), \(y) at \(time) s")
      }
    }
    #expect(seen.count > 10)
  }

  /// The first rectangle that a ray meets; boxes of furniture are visible from outside only.
  private static func nearest(_ facets: [Facet], from origin: Vector3, along direction: Vector3) -> Int? {
    var best: (Int, Double)?
    for (index, facet) in facets.enumerated() {
      let normal = facet.u.cross(facet.v)
      let approach = normal.dot(direction)
      let isRoom = index < 6
      let isWall = facet.v == Vector3(0, 0, 1) && facet.extent.y > 2.5 && !isRoom
      guard isWall || (isRoom ? approach > 0 : approach < 0) else { continue }
      let depth = normal.dot(facet.corner - origin) / approach
      let point = origin + direction * depth - facet.corner
      let (s, t) = (point.dot(facet.u), point.dot(facet.v))
      guard depth > 0, s >= -1e-9, t >= -1e-9, s <= facet.extent.x + 1e-9, t <= facet.extent.y + 1e-9 else { continue }
      if best == nil || depth < best!.1 { best = (index, depth) }
    }
    return best?.0
  }

  /// The landmarks lie on the rendered surfaces that are not blank.
  @Test func landmarksLieOnTheSurfaces() throws {
    var scenario = try Scenario.named("wall")
    scenario.room.blank = [.left, .ceiling]
    let simulator = try Simulator(scenario: scenario, seed: 3)
    let facets = try #require(ImageSimulator(simulator, texture: Texture(size: 1, finest: [0]))).scene.facets
    #expect(facets.count == 6 + 6 * scenario.room.furniture + 1)
    for landmark in simulator.landmarks {
      let isOnSurface = facets.contains { facet in
        let offset = landmark - facet.corner
        let (s, t) = (offset.dot(facet.u), offset.dot(facet.v))
        return abs(offset.dot(facet.u.cross(facet.v))) < 1e-9 && s > -1e-9 && t > -1e-9 && s < facet.extent.x + 1e-9
          && t < facet.extent.y + 1e-9 && facet.contrast > 0
      }
      #expect(isOnSurface)
    }
  }

  /// The mean over a pixel, against an image with sixteen times as many pixels: nearer than a single pixel of that
  /// image, and within a tenth of the contrast.
  @Test func pixelsAreMeansOverTheirArea() throws {
    let simulator = try Simulator(scenario: Scenario.named("walk-l"), seed: 4)
    let images = try #require(ImageSimulator(simulator))
    let camera = simulator.rig.cameras[0]
    var fine = camera
    (fine.width, fine.height) = (4 * camera.width, 4 * camera.height)
    (fine.fx, fine.fy) = (4 * camera.fx, 4 * camera.fy)
    (fine.cx, fine.cy) = (4 * camera.cx + 1.5, 4 * camera.cy + 1.5)
    let texture = ImageSimulator.pattern(of: simulator)
    let renderer = Renderer(images.scene, texture: texture, camera: fine)
    let frames = Self.frames(simulator)
    for frame in [frames[0], frames[150]] {
      let coarse = images.radiance(of: frame)
      var detailed = [Float](repeating: 0, count: fine.width * fine.height)
      renderer.expose(&detailed, weight: 1, hasRollingRows: false) { _ in Self.pose(simulator, frame) }
      var (error, single, variance) = (0.0, 0.0, 0.0)
      let mean = Double(coarse.reduce(0, +)) / Double(coarse.count)
      for y in 0..<camera.height {
        for x in 0..<camera.width {
          var sum: Float = 0
          for k in 0..<16 { sum += detailed[(4 * y + k / 4) * fine.width + 4 * x + k % 4] }
          let ideal = Double(sum / 16)
          error += pow(Double(coarse[y * camera.width + x]) - ideal, 2)
          single += pow(Double(detailed[(4 * y + 1) * fine.width + 4 * x + 1]) - ideal, 2)
          variance += pow(ideal - mean, 2)
        }
      }
      let count = Double(coarse.count)
      let figures = [error, single, variance].map { ($0 / count).squareRoot() }
      #expect(figures[0] < figures[1] && figures[0] < 0.1 * figures[2])
    }
  }
}
