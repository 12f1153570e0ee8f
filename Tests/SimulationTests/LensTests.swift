import Foundation
import Geometry
import SensorData
import Simulation
import Testing

@Suite struct LensTests {
  private typealias Distortion = CameraCalibration.Distortion
  private static let lenses: [Distortion] = [
    .none, .radialTangential(k1: -0.28340811, k2: 0.07395907, p1: 0.00019359, p2: 1.76187114e-05),
    .equidistant(k1: 0.0034, k2: 0.0007, k3: -0.0020, k4: 0.0002), .fieldOfView(w: 0.9325),
  ]

  /// Points computed by hand from the papers' formulas.
  @Test func forwardModelsAgreeWithHandComputedPoints() {
    func check(_ model: CameraCalibration.Distortion, _ ray: SIMD2<Double>, _ expected: SIMD2<Double>) {
      let difference = Lens.distort(ray, model) - expected
      #expect(abs(difference.x) < 1e-9 && abs(difference.y) < 1e-9, "\(model)")
    }
    check(.none, SIMD2(0.3, -0.4), SIMD2(0.3, -0.4))
    // r^2 = 0.25, radial 1 - 0.05 + 0.00625 = 0.95625; tangential x: 2 (0.01)(-0.12) + 0.02 (0.25 + 0.18) = 0.0062,
    // y: 0.01 (0.25 + 0.32) + 2 (0.02)(-0.12) = 0.0009.
    check(
      .radialTangential(k1: -0.2, k2: 0.1, p1: 0.01, p2: 0.02), SIMD2(0.3, -0.4),
      SIMD2(0.3 * 0.95625 + 0.0062, -0.4 * 0.95625 + 0.0009))
    // r = 1, theta = pi/4 = 0.7853981634, theta^2 = 0.6168502751: theta_d = theta (1 + 0.06168502751).
    check(.equidistant(k1: 0.1, k2: 0, k3: 0, k4: 0), SIMD2(0.6, 0.8), SIMD2(0.6, 0.8) * (0.7853981634 * 1.06168502751))
    // w = pi/2: 2 tan(w/2) = 2, r = 0.5: atan(1) / (pi/2) = 0.5.
    check(.fieldOfView(w: .pi / 2), SIMD2(0.3, 0.4), SIMD2(0.3, 0.4))
    check(.fieldOfView(w: .pi / 2), SIMD2(0, 0), SIMD2(0, 0))
  }

  @Test(arguments: lenses) func numericInverseLeadsBackToTheRay(_ model: CameraCalibration.Distortion) {
    var random = SeededRandom(seed: 4)
    for _ in 0..<200 {
      let ray = SIMD2(random.uniform(-0.7...0.7), random.uniform(-0.5...0.5))
      let distorted = Lens.distort(ray, model)
      var guess = SIMD2(0.0, 0.0)
      for _ in 0..<60 {
        // Newton with a numeric Jacobian.
        let h = 1e-6
        let f = Lens.distort(guess, model) - distorted
        let dx = (Lens.distort(guess + SIMD2(h, 0), model) - Lens.distort(guess - SIMD2(h, 0), model)) / (2 * h)
        let dy = (Lens.distort(guess + SIMD2(0, h), model) - Lens.distort(guess - SIMD2(0, h), model)) / (2 * h)
        let determinant = dx.x * dy.y - dy.x * dx.y
        guess -= SIMD2(f.x * dy.y - f.y * dy.x, f.y * dx.x - f.x * dx.y) / determinant
      }
      let error = guess - ray
      #expect((error * error).sum().squareRoot() < 1e-8)
    }
  }

  @Test(arguments: lenses) func pointsBehindOrBesideAreNotVisible(_ model: CameraCalibration.Distortion) {
    let camera = CameraCalibration(fx: 300, fy: 300, cx: 320, cy: 240, distortion: model, width: 640, height: 480)
    let lens = Lens(camera)
    let centre = lens.pixel(of: Vector3(0, 0, 3))
    #expect(centre?.u == 320 && centre?.v == 240)
    #expect(lens.pixel(of: Vector3(0.1, 0, -1)) == nil)
    #expect(lens.pixel(of: Vector3(0, 0, 0)) == nil)
    #expect(lens.pixel(of: Vector3(1, 0, 1e-3)) == nil)
    // A polynomial is not monotonic far outside; nothing from there may be projected into the image.
    var random = SeededRandom(seed: 9)
    for _ in 0..<2000 {
      let angle = random.uniform(Angle.degrees(75)...Angle.degrees(89))
      let around = random.uniform(0...(2 * .pi))
      let ray = Vector3(sin(angle) * cos(around), sin(angle) * sin(around), cos(angle))
      if case .radialTangential = model { #expect(lens.pixel(of: ray) == nil) }
      if let pixel = lens.pixel(of: ray) { #expect(pixel.u >= 0 && pixel.u < 640 && pixel.v >= 0 && pixel.v < 480) }
    }
  }

  @Test func axesAreRightDownForward() {
    let lens = Lens(CameraCalibration(fx: 300, fy: 300, cx: 320, cy: 240, width: 640, height: 480))
    #expect(lens.pixel(of: Vector3(1, 0, 3))!.u == 420)
    #expect(lens.pixel(of: Vector3(0, 0.5, 3))!.v == 290)
  }
}
