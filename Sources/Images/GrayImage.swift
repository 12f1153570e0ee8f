/// An 8-bit grey image: rows from the top, 0 black ... 255 white. The centre of the first pixel is at (0, 0).
package struct GrayImage: Equatable, Sendable {
  /// Most pixels of an image: 16 MPixel. A larger one is refused by its header.
  package static let largest = 16 << 20

  /// Pixels in a row.
  package let width: Int
  /// Rows.
  package let height: Int
  /// `width * height` values, row-major.
  package var pixels: [UInt8]

  /// An image from its pixels.
  ///
  /// - Precondition: `pixels.count == width * height`, not empty, at most `largest`.
  package init(width: Int, height: Int, pixels: [UInt8]) {
    precondition(width > 0 && height > 0 && pixels.count == width * height && pixels.count <= Self.largest)
    self.width = width
    self.height = height
    self.pixels = pixels
  }

  /// The image in the upper left of a larger one, which is black elsewhere.
  ///
  /// - Precondition: neither side is shorter than the image's; at most `largest` pixels.
  package func padded(width: Int, height: Int) -> GrayImage {
    precondition(width >= self.width && height >= self.height && width * height <= Self.largest)
    var padded = [UInt8](repeating: 0, count: width * height)
    for row in 0..<self.height {
      padded.replaceSubrange(
        row * width..<row * width + self.width, with: pixels[row * self.width..<(row + 1) * self.width])
    }
    return GrayImage(width: width, height: height, pixels: padded)
  }

  /// The image reduced by a whole factor: each pixel is the mean of a square of `factor` pixels a side, of a smaller one
  /// at the right and lower edges.
  ///
  /// - Precondition: `factor` is positive.
  package func reduced(by factor: Int) -> GrayImage {
    precondition(factor > 0)
    if factor == 1 { return self }
    let (columns, rows) = ((width + factor - 1) / factor, (height + factor - 1) / factor)
    var means = [UInt8](repeating: 0, count: columns * rows)
    for row in 0..<rows {
      let below = min((row + 1) * factor, height)
      for column in 0..<columns {
        let right = min((column + 1) * factor, width)
        var sum = 0
        for y in row * factor..<below {
          for x in column * factor..<right { sum += Int(pixels[y * width + x]) }
        }
        let count = (below - row * factor) * (right - column * factor)
        means[row * columns + column] = UInt8((sum + count / 2) / count)
      }
    }
    return GrayImage(width: columns, height: rows, pixels: means)
  }

  /// Mean brightness, 0 black ... 1 white.
  package var meanLuma: Double {
    Double(pixels.reduce(into: 0) { $0 += Int($1) }) / (255 * Double(pixels.count))
  }
}
