import Images

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
