import CameraGeometry
import FrontEnd
import FrontEndTestSupport
import Geometry
import Images
import SensorData
import Simulation
import Testing

/// Optical flow, patches and corners on images with known values everywhere.
@Suite struct PatchTests {
  private func pyramid(_ image: GrayImage, contrast: Double = 0) throws -> PyramidImage {
    try #require(PyramidImage(image, window: 21, levels: 3, contrast: contrast))
  }

  @Test(arguments: 1...5 as ClosedRange<UInt64>)
  func flowFindsAShift(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let pattern = Pattern(seed: seed)
    let (dx, dy) = (random.uniform(-9...9), random.uniform(-9...9))
    let before = try pyramid(pattern.image()), after = try pyramid(pattern.image { ($0 - dx, $1 - dy) })
    let positions = (0..<20).map { _ in SIMD2(Float(random.uniform(30...130)), Float(random.uniform(30...90))) }
    let found = before.track(positions, to: after, guesses: positions, levels: 3)
    let errors = zip(positions, found).map { position, found -> Float in
      guard let found else { return .infinity }
      let offset = found - position - SIMD2(Float(dx), Float(dy))
      return (offset * offset).sum().squareRoot()
    }.sorted()
    #expect(errors[10] < 0.03 && errors[18] < 0.2, "\(errors)")
  }

  /// Rotated, stretched, sheared, with another gain and offset: position and warp are recovered.
  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func patchesAreFoundUnderAnyAffineWarp(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let pattern = Pattern(seed: 100 + seed)
    // Pixels of the later image as a function of those of the first: x' = A (x - c) + c + d.
    let a = 1 + random.uniform(-0.1...0.1), b = random.uniform(-0.1...0.1)
    let c = random.uniform(-0.1...0.1), d = 1 + random.uniform(-0.1...0.1)
    let determinant = a * d - b * c
    let centre = SIMD2(80.0, 60.0), shift = SIMD2(random.uniform(-1...1), random.uniform(-1...1))
    let first = try pyramid(pattern.image())
    let later = try pyramid(
      pattern.image(gain: 0.7, offset: 20) { u, v in
        let (x, y) = (u - centre.x - shift.x, v - centre.y - shift.y)
        return ((d * x - b * y) / determinant + centre.x, (a * y - c * x) / determinant + centre.y)
      })
    var store = PatchStore()
    let taken = store.sample([SIMD2(80, 60)], in: first)
    let slot = try #require(taken[0])
    let (warps, correlations) = store.align([slot], in: later, guesses: [PatchWarp(at: SIMD2(80, 60))])
    let offset = SIMD2<Double>(warps[0].position) - centre - shift
    #expect((offset * offset).sum().squareRoot() < 0.1 && correlations[0] > 0.99, "\(warps) \(correlations)")
    let found = [warps[0].a, warps[0].b, warps[0].c, warps[0].d].map { Double($0) / 7 }
    for (one, other) in zip(found, [a, b, c, d]) { #expect(abs(one - other) < 0.05) }
    #expect(abs(Double(warps[0].growth) - determinant) < 0.08)
  }

  /// A patch is transformed by an affine map point by point, and by a rotation through the lens.
  @Test(arguments: 1...5 as ClosedRange<UInt64>)
  func patchesAreTransformed(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    func number(_ reach: Double) -> Float { Float(random.uniform(-reach...reach)) }
    var warp = PatchWarp(at: SIMD2(200, 150))
    (warp.a, warp.b, warp.c, warp.d) = (7 + number(1), number(1), number(1), 7 + number(1))
    let (columns, shift) = (
      [SIMD2(1 + number(0.2), number(0.2)), SIMD2(number(0.2), 1 + number(0.2))], SIMD2(number(9), number(9))
    )
    func map(_ p: SIMD2<Float>) -> SIMD2<Float> { p.x * columns[0] + p.y * columns[1] + shift }
    func point(_ w: PatchWarp, _ x: Float, _ y: Float) -> SIMD2<Float> {
      SIMD2(w.a * x + w.b * y, w.c * x + w.d * y) + w.position
    }
    let carried = try #require(warp.carried { map($0) })
    for (x, y) in [(0, 0), (1, 0), (0, 1), (-1, 1)] as [(Float, Float)] {
      let offset = point(carried, x, y) - map(point(warp, x, y))
      #expect((offset * offset).sum().squareRoot() < 1e-2)
    }
    #expect(warp.carried { $0.x > 200 ? nil : $0 } == nil)
    let lens = LensModel(
      CameraCalibration(
        fx: 280, fy: 281, cx: 376, cy: 240, distortion: .equidistant(k1: 0.0035, k2: 7e-4, k3: -0.002, k4: 2e-4),
        width: 752, height: 480))
    let rotation = Rotation.exp(
      Vector3(random.uniform(-0.1...0.1), random.uniform(-0.1...0.1), random.uniform(-0.1...0.1)))
    let rotated = try #require(lens.rotated(warp, by: rotation))
    for (x, y) in [(0, 0), (1, 0), (0, 1)] as [(Float, Float)] {
      let direction = try #require(lens.direction(ofPixel: SIMD2<Double>(point(warp, x, y))))
      let pixel = try #require(lens.project(rotation * direction)).pixel
      let offset = SIMD2<Double>(point(rotated, x, y)) - pixel
      // Within a patch the lens is nearly affine.
      #expect((offset * offset).sum().squareRoot() < 0.1)
    }
    #expect(lens.rotated(warp, by: nil) == warp)
  }

  /// In another image it is hardly ever found: the correlation is low.
  @Test func anotherPictureDoesNotCorrelate() throws {
    let first = try pyramid(Pattern(seed: 3).image()), other = try pyramid(Pattern(seed: 4).image())
    var store = PatchStore()
    let positions = (0..<30).map { SIMD2(Float(20 + 4 * $0), Float(60)) }
    let slots = store.sample(positions, in: first).compactMap { $0 }
    #expect(slots.count == 30)
    let (_, correlations) = store.align(slots, in: other, guesses: positions.map(PatchWarp.init))
    #expect(correlations.count { $0 > 0.9 } <= 3)
  }

  /// At the edge of the image the visible part suffices; with too little of it nothing is returned.
  @Test func aPatchLeavesTheImageUndistorted() throws {
    let pattern = Pattern(seed: 5)
    let first = try pyramid(pattern.image())
    var store = PatchStore()
    let taken = store.sample([SIMD2(40, 60)], in: first)
    let slot = try #require(taken[0])
    for (dx, isSeen) in [(35.0, true), (37.5, true), (40, false), (44, false), (300, false)] {
      let later = try pyramid(pattern.image { u, v in (u + dx, v) })
      let guess = PatchWarp(at: SIMD2(Float(40 - dx) + 0.5, 60.3))
      let (warps, correlations) = store.align([slot], in: later, guesses: [guess])
      #expect((correlations[0] > 0.95) == isSeen)
      let offset = SIMD2<Double>(warps[0].position) - SIMD2(40 - dx, 60)
      // A third of the guess's error.
      if isSeen { #expect((offset * offset).sum().squareRoot() < 0.19) }
    }
  }

  @Test func cornersAreWhereTwoEdgesMeet() throws {
    var image = GrayImage(width: 120, height: 100, pixels: [UInt8](repeating: 60, count: 12_000))
    for y in 40..<100 { for x in 50..<120 { image.pixels[y * 120 + x] = 180 } }
    let corners = try pyramid(image).corners(columns: 0..<120, rows: 0..<100, weakest: 30, count: 8)
    let best = try #require(corners.first)
    // Edges run between the pixels 49 and 50, 39 and 40.
    #expect(abs(best.position.x - 49.5) < 0.75 && abs(best.position.y - 39.5) < 0.75, "\(best)")
    #expect(corners.dropFirst().allSatisfy { abs($0.position.x - 49.5) < 4 && abs($0.position.y - 39.5) < 4 })
  }

  @Test func thereAreNoCornersInNoise() throws {
    var random = SeededRandom(seed: 8)
    let sigma = 3.0
    let pixels = (0..<160 * 120).map { _ in UInt8(min(max(128 + sigma * random.gaussian(), 0), 255)) }
    let image = try pyramid(GrayImage(width: 160, height: 120, pixels: pixels))
    #expect(image.corners(columns: 0..<160, rows: 0..<120, weakest: Float(3 * sigma * sigma), count: 8).isEmpty)
  }

  @Test func invalidInputsGiveNoResult() throws {
    let image = try pyramid(Pattern(seed: 1).image()), larger = try pyramid(Pattern(seed: 1).image(width: 176))
    let odd: [SIMD2<Float>] = [SIMD2(.nan, 3), SIMD2(.infinity, 0), SIMD2(1e30, -1e30), SIMD2(-500, 900)]
    #expect(image.track(odd, to: image, guesses: odd, levels: 3).allSatisfy { $0 == nil })
    #expect(image.track(odd, to: larger, guesses: odd, levels: 3).allSatisfy { $0 == nil }, "another size")
    #expect(image.track([], to: image, guesses: [], levels: 3).isEmpty)
    var store = PatchStore()
    let none = store.sample(odd, in: image), some = store.sample([SIMD2(80, 60)], in: image)
    #expect(none.allSatisfy { $0 == nil } && some[0] != nil)
    let (_, correlations) = store.align(odd.map { _ in some[0]! }, in: image, guesses: odd.map(PatchWarp.init))
    #expect(correlations.allSatisfy { $0 == -1 })
    #expect(image.corners(columns: -50..<900, rows: -9..<9000, weakest: 1, count: 0).isEmpty)
    #expect(image.corners(columns: 500..<900, rows: 0..<9, weakest: 1, count: 5).isEmpty)
    #expect(
      PyramidImage(GrayImage(width: 15, height: 15, pixels: [UInt8](repeating: 0, count: 225)), window: 21, levels: 3)
        == nil)
  }
}
