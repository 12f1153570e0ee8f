import Foundation
import Images
import Simulation

/// A smooth image with known values everywhere: sums of waves of 6 to 40 pixels.
package struct Pattern {
  private let waves: [(x: Double, y: Double, phase: Double)]

  package init(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    waves = (0..<12).map { _ in
      let angle = random.uniform(0...(2 * .pi)), length = random.uniform(6...40)
      return (cos(angle) * 2 * .pi / length, sin(angle) * 2 * .pi / length, random.uniform(0...(2 * .pi)))
    }
  }

  /// The grey level at a position, about 128 +- 60.
  package func value(_ x: Double, _ y: Double) -> Double {
    128 + 18 * waves.reduce(0) { $0 + sin($1.x * x + $1.y * y + $1.phase) }
  }

  /// The image whose pixel (u, v) shows `position(u, v)`, with gain, offset and noise.
  package func image(
    width: Int = 160, height: Int = 120, gain: Double = 1, offset: Double = 0, noise: Double = 0, seed: UInt64 = 1,
    position: (Double, Double) -> (Double, Double) = { ($0, $1) }
  ) -> GrayImage {
    var random = SeededRandom(seed: seed)
    return GrayImage(
      width: width, height: height,
      pixels: (0..<width * height).map { index in
        let (x, y) = position(Double(index % width), Double(index / width))
        let value = gain * (self.value(x, y) - 128) + 128 + offset + noise * random.gaussian()
        return UInt8(min(max(value.rounded(), 0), 255))
      })
  }
}
