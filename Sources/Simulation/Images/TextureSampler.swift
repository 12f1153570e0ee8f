/// Reads a texture under the footprint of a pixel. Valid only within `Texture.withSampler`.
///
/// The footprint is a parallelogram of two edges. Up to eight samples along the longer edge are averaged. Each reads
/// the pyramid level whose texel is as wide as the rest of the footprint: anisotropic filtering, sharp across a slanted
/// surface and without aliasing along it.
package struct TextureSampler {
  private let texels: UnsafePointer<UInt8>
  private let size: Int
  private let coarsest: Int
  private static let maxSamples = 8

  init(_ texels: UnsafePointer<UInt8>, size: Int, levels: Int) {
    self.texels = texels
    self.size = size
    coarsest = levels - 1
  }

  /// The mean, 0 black ... 1 white, over the parallelogram about `centre` with the edges `a` and `b`, texels. Black
  /// where the numbers are not finite or beyond 10^7.
  @inline(__always)
  package func mean(about centre: SIMD2<Float>, _ a: SIMD2<Float>, _ b: SIMD2<Float>) -> Float {
    let (a2, b2) = ((a * a).sum(), (b * b).sum())
    let edge = a2 > b2 ? a : b
    let (long, short) = (max(a2, b2).squareRoot(), max(min(a2, b2).squareRoot(), 1e-3))
    guard abs(centre.x) < 1e7, abs(centre.y) < 1e7, long < 1e7 else { return 0 }
    // An edge shorter than a texel needs one sample.
    let samples = min(Self.maxSamples, 1 + Int(min(max(0, long - 0.5) / max(short, 1), 100)))
    let width = max(long / Float(samples), short)
    // log2, linear between the powers of two: continuous, and the same on every machine.
    let bits = max(width, 1).bitPattern
    let level = min(Int(bits >> 23) - 127, coarsest)
    let fraction = level < coarsest ? Float(bits & 0x7F_FFFF) * 0x1p-23 : 0
    var sum: Float = 0
    let step = edge / Float(samples)
    var position = centre - step * (Float(samples - 1) / 2)
    for _ in 0..<samples {
      var value = bilinear(position, level)
      if fraction > 0 { value += fraction * (bilinear(position, level + 1) - value) }
      sum += value
      position += step
    }
    return sum / (255 * Float(samples))
  }

  /// Linear between the centres of the four nearest texels of a level, 0...255.
  @inline(__always)
  private func bilinear(_ position: SIMD2<Float>, _ level: Int) -> Float {
    let scale = Float(bitPattern: UInt32(127 - level) << 23)
    let (x, y) = (position.x * scale - 0.5, position.y * scale - 0.5)
    let (left, top) = (Self.floor(x), Self.floor(y))
    let (fx, fy) = (x - Float(left), y - Float(top))
    let width = size >> level
    let mask = width - 1
    // The levels before this one hold size^2 (1 + 1/4 + ...) texels.
    let start = (size * size - width * width) / 3 * 4
    let above = start + (top & mask) * width
    let below = start + ((top + 1) & mask) * width
    let (x0, x1) = (left & mask, (left + 1) & mask)
    let (a, b) = (Float(texels[above + x0]), Float(texels[above + x1]))
    let (c, d) = (Float(texels[below + x0]), Float(texels[below + x1]))
    let upper = a + fx * (b - a)
    return upper + fy * (c + fx * (d - c) - upper)
  }

  /// Avoids the call into the mathematical library that `rounded` makes on x86-64.
  @inline(__always)
  private static func floor(_ value: Float) -> Int {
    let truncated = Int(value)
    return Float(truncated) > value ? truncated - 1 : truncated
  }
}
