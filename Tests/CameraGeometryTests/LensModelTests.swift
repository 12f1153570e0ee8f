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
  }
}
