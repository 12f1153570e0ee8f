import CameraGeometry
import Foundation
import Geometry
import SensorData
import Simulation
import TestSupport
import Testing

@Suite struct LensModelTests {
  static let lenses: [CameraCalibration.Distortion] = [
    .none,
    .radialTangential(k1: -0.28340811, k2: 0.07395907, p1: 0.00019359, p2: 1.76187114e-05),
    .radialTangential(k1: 0.1, k2: -0.2, p1: 0.001, p2: -0.002),
    .equidistant(k1: 0.0034, k2: 0.0007, k3: -0.0020, k4: 0.0002),
    .fieldOfView(w: 0.9325),
    .fieldOfView(w: 1e-9),
    .rational(k1: -0.28, k2: 0.09, p1: 0.0011, p2: -0.0007, k3: -0.012),
    .rational(k1: 0.45, k2: -0.12, p1: 0.0008, p2: -0.0012, k3: 0.031, k4: 0.62, k5: -0.05, k6: 0.012),
    .omni(xi: 0.9, k1: -0.03, k2: 0.01, p1: 0.0004, p2: -0.0003),
    .omni(xi: 1.3, k1: 0, k2: 0, p1: 0, p2: 0),
    .doubleSphere(xi: -0.2, alpha: 0.57),
    .doubleSphere(xi: 0.3, alpha: 0.4),
    .extendedUnified(alpha: 0.62, beta: 1.1),
    .extendedUnified(alpha: 0, beta: 1),
  ]

  static func lens(_ distortion: CameraCalibration.Distortion) -> LensModel {
    LensModel(
      CameraCalibration(fx: 258, fy: 262, cx: 328, cy: 229, distortion: distortion, width: 640, height: 480))
  }

  @Test(arguments: lenses) func pixelsAreUnprojectedToTheirDirections(distortion: CameraCalibration.Distortion) {
    var source = SeededRandom(seed: 1)
    let lens = Self.lens(distortion)
    var seen = 0
    for _ in 0..<500 {
      let d = (Vector3(0, 0, 1) + source.uniform(0...1.2) * source.direction()).normalized
      // No flat image reaches to 84 degrees and beyond.
      guard d.z > 0.1, let there = lens.project(d * source.uniform(0.01...50)) else { continue }
      seen += 1
      guard let back = lens.direction(ofPixel: there.pixel) else { Issue.record("no direction for \(d)"); continue }
      #expect((back - d).norm < 1e-8)
    }
    #expect(seen > 300)
  }

  @Test(arguments: lenses) func gradientsAreTheDerivatives(distortion: CameraCalibration.Distortion) {
    var source = SeededRandom(seed: 2)
    let lens = Self.lens(distortion)
    for i in 0..<200 {
      // The first few lie on the axis, where a radial lens divides by zero.
      let tilt: Double = i < 5 ? 0 : i < 10 ? 1e-7 : 0.6
      let d = (Vector3(0, 0, 1) + tilt * source.direction()) * source.uniform(0.2...5)
      guard let projection = lens.project(d) else { continue }
      let numeric = FiniteDifferences.jacobian(inputs: 3, step: 1e-3 * d.norm) { e in
        let p = lens.project(d + Vector3(e[0], e[1], e[2]))!.pixel
        return [p.x, p.y]
      }
      let g = projection.columnGradient, h = projection.rowGradient
      #expect(FiniteDifferences.largestDifference([[g.x, g.y, g.z], [h.x, h.y, h.z]], numeric) < 1e-6)
    }
  }

  @Test(arguments: lenses) func errorGradientsAreTheDerivatives(distortion: CameraCalibration.Distortion) {
    var source = SeededRandom(seed: 3)
    for _ in 0..<100 {
      let lens = Self.lens(distortion).plus((0..<4).map { _ in 0.05 * source.gaussian() }[...])
      let d = Vector3(0, 0, 1) + 0.6 * source.direction()
      guard let pixel = lens.project(d)?.pixel else { continue }
      let numeric = FiniteDifferences.jacobian(inputs: 4) { e in
        let moved = lens.plus(e[...]).project(d)!.pixel
        return [moved.x, moved.y]
      }
      let (column, row) = lens.errorGradients(at: pixel)
      #expect(
        FiniteDifferences.largestDifference([(0..<4).map { column[$0] }, (0..<4).map { row[$0] }], numeric) < 1e-6)
    }
  }

  @Test func lensPlusAndMinusAreInverse() {
    var source = SeededRandom(seed: 4)
    for _ in 0..<100 {
      let x = Self.lens(.none).plus((0..<4).map { _ in 0.1 * source.gaussian() }[...])
      let d = (0..<LensModel.errorSize).map { _ in 0.3 * source.gaussian() }
      #expect(zip(x.plus(d[...]).minus(x), d).allSatisfy { abs($0 - $1) < 1e-12 })
      #expect(x.isFinite && !x.plus([.nan, 0, 0, 0]).isFinite)
    }
  }

  @Test(arguments: lenses) func nothingBreaksFarOutside(distortion: CameraCalibration.Distortion) {
    let lens = Self.lens(distortion)
    for d in [
      Vector3.zero, Vector3(0, 0, -1), Vector3(1, 0, 0), Vector3(1e-300, 0, 0), Vector3(.nan, 0, 1),
      Vector3(.infinity, 0, 1), Vector3(1e9, 1e9, 1),
    ] {
      if let p = lens.project(d) { #expect(p.pixel.x.isFinite && p.pixel.y.isFinite && p.columnGradient.isFinite) }
    }
    for u in [-1e9, -5000, 0, 640, 5000, 1e9, .nan, .infinity] {
      if let d = lens.direction(ofPixel: SIMD2(u, 300)) { #expect(abs(d.norm - 1) < 1e-12) }
    }
  }

  /// Beyond a right angle from the axis, where no flat image reaches.
  @Test(arguments: [
    CameraCalibration.Distortion.omni(xi: 1.3, k1: 0, k2: 0, p1: 0, p2: 0), .doubleSphere(xi: 0.3, alpha: 0.6),
    .extendedUnified(alpha: 0.7, beta: 1.1),
  ]) func wideLensesSeeBehindTheirPlane(distortion: CameraCalibration.Distortion) throws {
    let lens = Self.lens(distortion)
    let d = Vector3(sin(1.75), 0, cos(1.75))
    let pixel = try #require(lens.project(d)).pixel
    let back = try #require(lens.direction(ofPixel: pixel))
    #expect((back - d).norm < 1e-9)
    #expect(lens.project(Vector3(1e-3, 0, -1)) == nil)
  }

  /// Another implementation, the simulator's, agrees; it has no rays beyond 90 degrees.
  @Test(arguments: lenses) func theSimulatorAgrees(distortion: CameraCalibration.Distortion) {
    guard distortion != .fieldOfView(w: 1e-9) else { return }
    var source = SeededRandom(seed: 5)
    let lens = Self.lens(distortion)
    for _ in 0..<200 {
      let d = Vector3(source.uniform(-0.7...0.7), source.uniform(-0.7...0.7), 1)
      guard let pixel = lens.project(d)?.pixel else { continue }
      let other = Lens.distort(SIMD2(d.x, d.y), distortion)
      #expect(abs(258 * other.x + 328 - pixel.x) < 1e-9 && abs(262 * other.y + 229 - pixel.y) < 1e-9)
    }
  }

  @Test func theFocalLengthIsThatOfTheAxis() throws {
    for distortion in Self.lenses {
      if case .fieldOfView = distortion { continue }  // its slope on the axis is left to the coefficient
      let lens = Self.lens(distortion)
      let there = try #require(lens.project(Vector3(0, 0, 1)))
      let area = (there.columnGradient.x * there.rowGradient.y - there.columnGradient.y * there.rowGradient.x)
      #expect(abs(area.squareRoot() - lens.focalLength) < 1e-6 * lens.focalLength)
    }
  }

  /// Figures of OpenCV 5.0.0 for P = [[0.3, -0.4, 1], [0.9, 0.2, 1.1], [-0.6, 0.7, 1.3], [0.05, 0.02, 2]] and K of
  /// `lens`: `cv2.projectPoints(P, zeros(3), zeros(3), K, d)`, and for the last `cv2.fisheye.projectPoints`.
  @Test(arguments: [
    (
      CameraCalibration.Distortion.radialTangential(
        k1: -0.28340811, k2: 0.07395907, p1: 0.00019359, p2: 1.76187114e-05),
      [
        400.2637975996677, 131.16866343952717, 504.7935186412868, 268.93146587280864, 223.64816419211996,
        352.6595283591845, 334.44870891429207, 231.61951099273455,
      ]
    ),
    (
      .rational(k1: -0.28, k2: 0.09, p1: 0.0011, p2: -0.0007, k3: -0.012),
      [
        400.2570925, 131.17444, 505.7833768964515, 269.3510196636649, 222.85442649319987, 353.60902996857436,
        334.44847617009583, 231.6196431489304,
      ]
    ),
    (
      .rational(k1: 0.45, k2: -0.12, p1: 0.0008, p2: -0.0012, k3: 0.031, k4: 0.62, k5: -0.05, k6: 0.012),
      [
        402.0880380018445, 128.63201366158518, 516.5346491572565, 271.7424677755949, 217.76023626211435,
        359.52799349992625, 334.4486968974878, 231.61971381373925,
      ]
    ),
    (
      .equidistant(k1: 0.0034, k2: 0.0007, k3: -0.0020, k4: 0.0002),
      [
        399.8260345196918, 131.74717806636042, 503.96827372884167, 268.7103253376025, 224.29126501329685,
        351.86939274264444, 334.44845781780157, 231.6193735632,
      ]
    ),
  ]) func openCVAgrees(distortion: CameraCalibration.Distortion, pixels: [Double]) throws {
    let points = [Vector3(0.3, -0.4, 1), Vector3(0.9, 0.2, 1.1), Vector3(-0.6, 0.7, 1.3), Vector3(0.05, 0.02, 2)]
    for (k, point) in points.enumerated() {
      let pixel = try #require(Self.lens(distortion).project(point)).pixel
      #expect(abs(pixel.x - pixels[2 * k]) < 1e-9 && abs(pixel.y - pixels[2 * k + 1]) < 1e-9)
    }
  }

  /// From the papers' formulas, one point each.
  @Test func knownValues() throws {
    let d = Vector3(0.3, -0.4, 1)  // radius 0.5
    let fov = try #require(Self.lens(.fieldOfView(w: 0.9)).project(d)).pixel
    let r = atan(2 * 0.5 * tan(0.45)) / 0.9
    #expect(abs(fov.x - (258 * r * 0.6 + 328)) < 1e-9 && abs(fov.y - (-262 * r * 0.8 + 229)) < 1e-9)
    let fish = try #require(Self.lens(.equidistant(k1: 0.1, k2: 0, k3: 0, k4: 0)).project(d)).pixel
    let theta = atan(0.5)
    #expect(abs(fish.x - (258 * theta * (1 + 0.1 * theta * theta) * 0.6 + 328)) < 1e-9)
    let brown = try #require(Self.lens(.radialTangential(k1: 0.1, k2: 0, p1: 0.01, p2: 0)).project(d)).pixel
    #expect(abs(brown.x - (258 * (0.3 * 1.025 + 2 * 0.01 * 0.3 * -0.4) + 328)) < 1e-9)
    #expect(abs(brown.y - (262 * (-0.4 * 1.025 + 0.01 * (0.25 + 2 * 0.16)) + 229)) < 1e-9)
    let norm = 1.25.squareRoot()
    let omni = try #require(Self.lens(.omni(xi: 0.9, k1: 0, k2: 0, p1: 0, p2: 0)).project(d)).pixel
    #expect(abs(omni.x - (258 * 0.3 / (1 + 0.9 * norm) + 328)) < 1e-9)
    let sphere = try #require(Self.lens(.doubleSphere(xi: -0.2, alpha: 0.6)).project(d)).pixel
    let depth = 1 - 0.2 * norm
    #expect(
      abs(sphere.x - (258 * 0.3 / (0.6 * (0.25 + depth * depth).squareRoot() + 0.4 * depth) + 328)) < 1e-9)
    let unified = try #require(Self.lens(.extendedUnified(alpha: 0.6, beta: 1.2)).project(d)).pixel
    #expect(abs(unified.x - (258 * 0.3 / (0.6 * (1.2 * 0.25 + 1).squareRoot() + 0.4) + 328)) < 1e-9)
  }
}
