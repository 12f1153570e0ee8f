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
