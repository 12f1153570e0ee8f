import Foundation

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
