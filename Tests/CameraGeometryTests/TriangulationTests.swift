import CameraGeometry
import Geometry
import SensorData
import Simulation
import Testing

@Suite struct TriangulationTests {
  static let lens = LensModel(
    CameraCalibration(fx: 458, fy: 457, cx: 367, cy: 248, width: 752, height: 480))

  /// A prior without information.
  static let vague = InverseDistancePrior(mean: 0, sigma: 1e6)

  /// Cameras near the origin that look roughly along x, the first at `origin`, the last a `baseline` away.
  static func views(of point: Vector3, baseline: Double, count: Int, noise: Double, _ source: inout SeededRandom)
    -> [CameraView]
  {
    let looking = Rotation(matrix: Matrix3(rows: Vector3(0, 0, 1), Vector3(-1, 0, 0), Vector3(0, -1, 0)))
    return (0..<count).map { i in
      let pose = Pose(
        rotation: Rotation.exp(0.02 * source.gaussian3()) * looking,
        translation: Vector3(0, baseline * Double(i) / Double(count - 1), 0.3))
      let pixel =
        lens.project(pose.inverse * point)!.pixel + noise * SIMD2(source.gaussian(), source.gaussian())
      return CameraView(worldFromCamera: pose, pixel: pixel, direction: lens.direction(ofPixel: pixel)!)
    }
  }

  @Test(arguments: [0.3, 2, 20, 500]) func exactPixelsGiveTheExactPoint(distance: Double) throws {
    var source = SeededRandom(seed: 1)
    for anchor in [0, 3, 6] {
      let point = Vector3(distance, 0.1 * distance, -0.05 * distance)
      let views = Self.views(of: point, baseline: 0.1, count: 7, noise: 0, &source)
      guard
        case .found(let f, _, let error) = Triangulation(lenses: [Self.lens], pixelNoise: 1, prior: Self.vague).solve(
          views, anchor: anchor)
      else { Issue.record("refused"); return }
      let offset = point - views[anchor].worldFromCamera.translation
      #expect(error < 1e-9)
      #expect((f.bearing - offset.normalized).norm < 1e-7)
      #expect(abs(f.inverseDistance - 1 / offset.norm) < 1e-6)
    }
  }

  /// No parallax, parallax below the noise, and cameras that only rotate: each gives a bearing.
  @Test(arguments: [0, 1e-3, 0.02]) func littleParallaxIsAccepted(baseline: Double) {
    var source = SeededRandom(seed: 2)
    for _ in 0..<200 {
      let point = Vector3(source.uniform(2...30), source.uniform(-1...1), source.uniform(-1...1))
      let views = Self.views(of: point, baseline: baseline, count: 6, noise: 1, &source)
      guard case .found(let f, _, _) = Triangulation(lenses: [Self.lens], pixelNoise: 1).solve(views, anchor: 0) else {
        Issue.record("refused")
        continue
      }
      #expect((f.bearing - (point - views[0].worldFromCamera.translation).normalized).norm < 0.02)
      #expect(f.inverseDistance >= 0 && f.inverseDistance <= 1 / Triangulation.nearest)
    }
  }

  /// The error of the inverse distance matches the pixel noise over the baseline.
  @Test func noiseGivesTheExpectedScatter() {
    var source = SeededRandom(seed: 3)
    let point = Vector3(3, 0.2, 0.1)
    var sum = 0.0
    let runs = 300
    for _ in 0..<runs {
      let views = Self.views(of: point, baseline: 0.4, count: 9, noise: 1, &source)
      guard case .found(let f, _, _) = Triangulation(lenses: [Self.lens], pixelNoise: 1).solve(views, anchor: 0) else {
        Issue.record("refused")
        continue
      }
      let error = f.inverseDistance - 1 / (point - views[0].worldFromCamera.translation).norm
      sum += error * error
    }
    // A straight line through nine points: sigma of the slope = 1 px / (f * sqrt(sum of squared offsets)).
    let offsets: [Double] = (0..<9).map { 0.05 * Double($0) - 0.2 }
    let spread = offsets.reduce(0) { $0 + $1 * $1 }
    let expected = 1 / (458 * spread.squareRoot())
    #expect(abs((sum / Double(runs)).squareRoot() / expected - 1) < 0.15)
  }

  @Test func inconsistentPixelsAreRejected() {
    var source = SeededRandom(seed: 4)
    var views = Self.views(of: Vector3(4, 0, 0), baseline: 0.5, count: 5, noise: 0, &source)
    views[2].pixel += SIMD2(0, 200)
    if case .found = Triangulation(lenses: [Self.lens], pixelNoise: 1).solve(views, anchor: 0) {
      Issue.record("found a point that nobody saw")
    }
    views[2].worldFromCamera.rotation = Rotation.yaw(.pi) * views[2].worldFromCamera.rotation
    #expect(Triangulation(lenses: [Self.lens], pixelNoise: 1).solve(views, anchor: 0) == .behindCamera)
  }
}
