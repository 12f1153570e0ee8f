import Images

/// The part of the image that ever received light. It excludes the black border of a fisheye's image circle, whose edge
/// is no corner of the scene.
package struct LitArea {
  private let columns: Int
  private let rows: Int
  private var lit: [Bool]

  /// Side of a block, pixels, sampled at every fourth row and column; a brighter pixel marks the block as lit.
  private static let block = 8
  private static let black: UInt8 = 20

  /// Nothing lit yet, for images of this size.
  package init(width: Int, height: Int) {
    columns = (width + Self.block - 1) / Self.block
    rows = (height + Self.block - 1) / Self.block
    lit = [Bool](repeating: false, count: columns * rows)
  }

  /// Adds a frame.
  package mutating func add(_ image: GrayImage) {
    let columns = columns
    image.pixels.withUnsafeBufferPointer { pixels in
      lit.withUnsafeMutableBufferPointer { lit in
        for y in stride(from: 1, to: image.height, by: 4) {
          let row = y / Self.block * columns
          for x in stride(from: 1, to: image.width, by: 4) where pixels[y * image.width + x] > Self.black {
            lit[row + x / Self.block] = true
          }
        }
      }
    }
  }

  /// Whether all blocks around a position are lit.
  package func contains(_ position: SIMD2<Float>) -> Bool {
    let column = Int(position.x) / Self.block, row = Int(position.y) / Self.block
    for y in max(0, row - 1)...min(rows - 1, row + 1) {
      for x in max(0, column - 1)...min(columns - 1, column + 1) where !lit[y * columns + x] { return false }
    }
    return true
  }
}
