import Foundation

/// A periodic grey pattern: one square that repeats seamlessly, with its mip pyramid.
///
/// Coordinates are texels of the finest level; texel i covers [i, i + 1), so its centre is at i + 0.5. Level l holds
/// the means of squares of 2^l x 2^l texels.
/// Source: Williams, "Pyramidal parametrics", SIGGRAPH 1983, doi:10.1145/800059.801126.
package struct Texture: Sendable {
  /// Width of a texel of the finest level, metres.
  package static let texel = 0.004

  /// Texels along one side of the finest level, a power of two.
  package let size: Int
  /// How many levels there are; the coarsest is a single texel.
  package let levels: Int
  private let texels: [UInt8]

  /// A texture from its finest level, row-major.
  ///
  /// - Precondition: `size` is a power of two up to 2^13, and there are `size * size` texels.
  package init(size: Int, finest: [UInt8]) {
    precondition(size > 0 && size <= 1 << 13 && size & (size - 1) == 0 && finest.count == size * size)
    self.size = size
    levels = size.trailingZeroBitCount + 1
    var texels = finest
    texels.reserveCapacity(size * size * 4 / 3 + 1)
    var start = 0
    var width = size
    while width > 1 {
      for y in stride(from: 0, to: width, by: 2) {
        for x in stride(from: 0, to: width, by: 2) {
          let above = start + y * width + x
          let below = above + width
          let sum = Int(texels[above]) + Int(texels[above + 1]) + Int(texels[below]) + Int(texels[below + 1])
          texels.append(UInt8((sum + 2) / 4))
        }
      }
      start += width * width
      width /= 2
    }
    self.texels = texels
  }

  /// Calls `body` with a sampler of this texture.
  package func withSampler<T>(_ body: (TextureSampler) throws -> T) rethrows -> T {
    try texels.withUnsafeBufferPointer { try body(TextureSampler($0.baseAddress!, size: size, levels: levels)) }
  }
}

/// Paints the pattern on all surfaces: noise at every scale, and thousands of rectangles and chequered boards of all
/// sizes, which give corners at every distance.
struct TexturePainter {
  private let size: Int
  private var texels: [UInt8]

  /// The pattern of a seed; `size` texels along each side, a power of two of at least 4.
  static func pattern(size: Int, seed: UInt64) -> Texture {
    var random = RandomStream.texture.generator(seed: seed)
    var painter = TexturePainter(size: size, random: &random)
    let side = Double(size) * Texture.texel
    for _ in 0..<Int(18 * side * side) { painter.paint(Board(side: side, random: &random)) }
    return Texture(size: size, finest: painter.texels)
  }

  /// Multi-octave value noise: a coarse grid of random numbers is refined repeatedly, each time with finer noise added.
  private init(size: Int, random: inout SeededRandom) {
    var values = [Float](repeating: 0, count: 16)
    var width = 4
    var bits: UInt64 = 0
    while width < size {
      values = Self.refined(values, width)
      width *= 2
      // Cells of 4 cm to 0.5 m have the largest amplitude.
      let cell = Double(size / width) * Texture.texel
      let amplitude: Float = cell > 1 ? 10 : cell > 0.03 ? 26 : cell > 0.01 ? 20 : 10
      for k in values.indices {
        if k & 7 == 0 { bits = random.next() }
        values[k] += (Float(bits & 255) - 127.5) * (amplitude / 127.5)
        bits >>= 8
      }
    }
    self.size = size
    texels = values.map { UInt8(min(max($0 + 128, 0), 255)) }
  }

  /// Doubles the resolution by linear interpolation between cell centres; the square repeats.
  private static func refined(_ values: [Float], _ width: Int) -> [Float] {
    let mask = width - 1
    var wide = [Float](repeating: 0, count: width * width * 2)
    for y in 0..<width {
      for x in 0..<width {
        let (before, here, after) = (
          values[y * width + (x &- 1) & mask], values[y * width + x], values[y * width + (x + 1) & mask]
        )
        wide[y * width * 2 + 2 * x] = 0.75 * here + 0.25 * before
        wide[y * width * 2 + 2 * x + 1] = 0.75 * here + 0.25 * after
      }
    }
    var result = [Float](repeating: 0, count: width * width * 4)
    for y in 0..<width {
      let (above, here, below) = (((y &- 1) & mask) * width * 2, y * width * 2, ((y + 1) & mask) * width * 2)
      for x in 0..<(2 * width) {
        result[4 * width * y + x] = 0.75 * wide[here + x] + 0.25 * wide[above + x]
        result[4 * width * y + 2 * width + x] = 0.75 * wide[here + x] + 0.25 * wide[below + x]
      }
    }
    return result
  }

  /// A rectangle, plain or chequered, texels.
  private struct Board {
    let centre: SIMD2<Double>
    let half: SIMD2<Double>
    let axis: SIMD2<Double>
    let cells: Int
    let shades: (Double, Double)
    let opacity: Double

    /// A random one on a square of `side` metres.
    init(side: Double, random: inout SeededRandom) {
      let length = 0.03 * pow(20, random.uniform())  // 3 to 60 cm, small ones as often as large ones
      centre = SIMD2(random.uniform(), random.uniform()) * (side / Texture.texel)
      half = SIMD2(length, length * random.uniform(0.35...1)) * (0.5 / Texture.texel)
      // Half of them are upright.
      let angle = random.chance(0.5) ? 0 : random.uniform(0...Double.pi)
      axis = SIMD2(cos(angle), sin(angle))
      cells = random.chance(0.3) ? 2 + Int(random.uniform() * 5) : 1
      let shade = random.uniform(10...245)
      shades = (shade, shade > 128 ? shade - 110 : shade + 110)
      opacity = random.uniform(0.55...0.95)
    }
  }

  private mutating func paint(_ board: Board) {
    let reach = (board.half * board.half).sum().squareRoot() + 1
    let mask = size - 1
    for y in Int((board.centre.y - reach).rounded(.down))...Int((board.centre.y + reach).rounded(.up)) {
      for x in Int((board.centre.x - reach).rounded(.down))...Int((board.centre.x + reach).rounded(.up)) {
        let offset = SIMD2(Double(x) + 0.5, Double(y) + 0.5) - board.centre
        let along = offset.x * board.axis.x + offset.y * board.axis.y
        let across = offset.y * board.axis.x - offset.x * board.axis.y
        // Anti-aliased edge, one texel wide: corners keep their sub-texel position.
        let inside = min(board.half.x - abs(along), board.half.y - abs(across)) + 0.5
        guard inside > 0 else { continue }
        var shade = board.shades.0
        if board.cells > 1 {
          let sign = Self.chequer(along, board.half.x, board.cells) * Self.chequer(across, board.half.y, board.cells)
          shade += (board.shades.1 - board.shades.0) * (1 - sign) / 2
        }
        let weight = min(inside, 1) * board.opacity
        let index = (y & mask) * size + x & mask
        texels[index] = UInt8(Double(texels[index]) * (1 - weight) + shade * weight)
      }
    }
  }

  /// Alternately 1 and -1 over `cells` equal parts of [-half, half], linear over the texel at each change.
  private static func chequer(_ coordinate: Double, _ half: Double, _ cells: Int) -> Double {
    let cell = (coordinate / half + 1) / 2 * Double(cells)
    let index = cell.rounded(.down)
    let edge = min(cell - index, index + 1 - cell) * 2 * half / Double(cells)
    return (Int(index) & 1 == 0 ? 1 : -1) * min(1, 2 * edge)
  }
}

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
