import FrontEnd
import FrontEndTestSupport
import Images
import SensorData
import Simulation
import Testing

/// Light, noise, texture and blur of an image.
@Suite struct LightTests {
  @Test(arguments: [1.0, 2.0, 4.0, 8.0])
  func noiseIsSeparatedFromTexture(sigma: Double) {
    let image = Pattern(seed: 3).image(width: 320, height: 240, noise: sigma)
    // The finest waves of the pattern count as a little noise.
    let found = LightMeter(image).measures.noise
    #expect(found > 0.85 * sigma && found < 1.1 * sigma + 0.3, "\(found)")
  }

  @Test func noiseIsNeitherTextureNorDetail() {
    var random = SeededRandom(seed: 4)
    let pixels = (0..<320 * 240).map { _ in UInt8(min(max(128 + 5 * random.gaussian(), 0), 255)) }
    let light = LightMeter(GrayImage(width: 320, height: 240, pixels: pixels))
    #expect(light.measures.texture < 0.6 && abs(light.meanLuma - 0.5) < 0.01)
    #expect(LightMeter(Pattern(seed: 3).image(width: 320, height: 240)).measures.texture > 5)
  }

  /// Tiles of 3 and of 24 pixels, each with a grey level of its own, blurred along rows over that many pixels to both
  /// sides.
  private static func tiles(smeared reach: Int) -> LightMeter {
    var random = SeededRandom(seed: 6)
    let small = (0..<120 * 80).map { _ in random.uniform(-30...30) },
      large = (0..<15 * 10).map { _ in random.uniform(-60...60) }
    func grey(_ x: Int, _ y: Int) -> Double { 128 + small[y / 3 * 120 + x / 3] + large[y / 24 * 15 + x / 24] }
    return LightMeter(
      GrayImage(
        width: 320, height: 240,
        pixels: (0..<320 * 240).map { index in
          let (y, x) = index.quotientAndRemainder(dividingBy: 320)
          let values = (0...2 * reach).map { grey(x + $0, y) }
          let mean = values.reduce(0, +) / Double(values.count) + 2 * random.gaussian()
          return UInt8(min(max(mean.rounded(), 0), 255))
        }))
  }

  /// Blur along rows removes detail in one direction, which determines the sharpness.
  @Test func motionBlurLowersSharpness() {
    let (before, after) = (Self.tiles(smeared: 0).measures, Self.tiles(smeared: 10).measures)
    #expect(after.sharpness < 0.6 * before.sharpness && after.texture > 0.6, "\(before) \(after)")
  }

  /// The same image without tracks is blurred if rotation and exposure blur it, and otherwise blank.
  @Test func blurByRotationIsDetected() throws {
    let light = try #require(
      (0...12).lazy.map { Self.tiles(smeared: $0) }.first { $0.measures.sharpness > 2 && $0.measures.sharpness < 3.2 })
    func condition(_ smear: Double?) -> ViewCondition {
      ViewClassifier.condition(light, followed: 5, begun: 0, isFirst: false, smear: smear)
    }
    #expect(condition(8) == .blurred && condition(1) == .blank && condition(nil) == .blank)
  }

  @Test func fractionsSumToOne() {
    var image = GrayImage(width: 64, height: 64, pixels: [UInt8](repeating: 255, count: 64 * 64))
    for index in 0..<64 * 16 { image.pixels[index] = 0 }
    let light = LightMeter(image)
    #expect(light.measures.darkShare == 0.25 && light.measures.saturatedShare == 0.75 && light.meanLuma == 0.75)
    _ = LightMeter(GrayImage(width: 1, height: 1, pixels: [7]))
  }

  @Test func theEdgeOfARoundImageIsNotLit() {
    var area = LitArea(width: 200, height: 200)
    var image = GrayImage(width: 200, height: 200, pixels: [UInt8](repeating: 2, count: 40_000))
    for y in 0..<200 {
      for x in 0..<200 where (x - 100) * (x - 100) + (y - 100) * (y - 100) < 80 * 80 { image.pixels[y * 200 + x] = 120 }
    }
    area.add(image)
    #expect(area.contains(SIMD2(100, 100)) && area.contains(SIMD2(140, 100)))
    #expect(!area.contains(SIMD2(181, 100)) && !area.contains(SIMD2(100, 19)) && !area.contains(SIMD2(5, 5)))
  }
}
