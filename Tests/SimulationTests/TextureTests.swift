import Simulation
import Testing

@Suite struct TextureTests {
  private static func random(size: Int, seed: UInt64) -> (texture: Texture, texels: [UInt8]) {
    var random = SeededRandom(seed: seed)
    let texels = (0..<size * size).map { _ in UInt8(random.next() & 255) }
    return (Texture(size: size, finest: texels), texels)
  }

  private static func value(_ texture: Texture, _ x: Float, _ y: Float, width: Float = 1) -> Float {
    texture.withSampler { $0.mean(about: SIMD2(x, y), SIMD2(width, 0), SIMD2(0, width)) }
  }

  @Test func centresOfTexelsAreExactAndBetweenThemItIsLinear() {
    let (texture, texels) = Self.random(size: 16, seed: 2)
    func texel(_ x: Int, _ y: Int) -> Float { Float(texels[(y & 15) * 16 + x & 15]) / 255 }
    var random = SeededRandom(seed: 3)
    for _ in 0..<500 {
      let (x, y) = (Int(random.uniform(-40...40).rounded(.down)), Int(random.uniform(-40...40).rounded(.down)))
      #expect(abs(Self.value(texture, Float(x) + 0.5, Float(y) + 0.5) - texel(x, y)) < 1e-5)
      let (s, t) = (Float(random.uniform()), Float(random.uniform()))
      let upper = texel(x, y) * (1 - s) + texel(x + 1, y) * s
      let lower = texel(x, y + 1) * (1 - s) + texel(x + 1, y + 1) * s
      let found = Self.value(texture, Float(x) + 0.5 + s, Float(y) + 0.5 + t)
      #expect(abs(found - (upper * (1 - t) + lower * t)) < 1e-4)
    }
  }

  /// Level l of the pyramid is the mean over squares of 2^l texels, at their centres.
  @Test(arguments: [1, 2, 3, 4, 5]) func coarserLevelsAreMeansOfSquares(_ level: Int) {
    let (texture, texels) = Self.random(size: 32, seed: 4)
    let width = 1 << level
    for top in stride(from: 0, to: 32, by: width) {
      for left in stride(from: 0, to: 32, by: width) {
        var sum = 0
        for y in top..<top + width { for x in left..<left + width { sum += Int(texels[y * 32 + x]) } }
        let mean = Float(sum) / Float(255 * width * width)
        let found = Self.value(texture, Float(2 * left + width) / 2, Float(2 * top + width) / 2, width: Float(width))
        // Each level rounds by half a grey level at most.
        #expect(abs(found - mean) < 0.5 * Float(level) / 255 + 1e-5)
      }
    }
  }

  /// For any footprint a flat pattern stays flat, a pattern repeats, and nothing traps.
  @Test func anyFootprintIsSafe() {
    let flat = Texture(size: 64, finest: [UInt8](repeating: 77, count: 64 * 64))
    let (noise, _) = Self.random(size: 64, seed: 5)
    var random = SeededRandom(seed: 6)
    func vector(_ size: Double) -> SIMD2<Float> {
      SIMD2(Float(random.gaussian() * size), Float(random.gaussian() * size))
    }
    for k in 0..<3000 {
      let size = [1e-6, 0.3, 3, 30, 3000][k % 5]
      let (centre, a, b) = (vector(100), vector(size), vector(size / 7))
      #expect(abs(flat.withSampler { $0.mean(about: centre, a, b) } - 77.0 / 255) < 1e-5)
      let once = noise.withSampler { $0.mean(about: centre, a, b) }
      let again = noise.withSampler { $0.mean(about: centre + SIMD2(64, -128), a, b) }
      #expect(abs(once - again) < 2e-3 && once >= 0 && once <= 1)
    }
    for odd in [Float.nan, .infinity, -.infinity, 1e30, 1e9] {
      for position in [SIMD2(odd, 0), SIMD2(0, odd)] {
        let values = noise.withSampler { sampler in
          [sampler.mean(about: position, SIMD2(1, 0), SIMD2(0, 1)), sampler.mean(about: .zero, position, SIMD2(0, 1))]
        }
        #expect(values.allSatisfy { $0 >= 0 && $0 <= 1 })
      }
    }
  }
}
