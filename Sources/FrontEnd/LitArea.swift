import Images

/// Where a camera ever saw anything. Beyond the edge of a fisheye's round image there is black, and that edge is no corner
/// of anything in the room.
package struct LitArea {
  private let columns: Int
  private let rows: Int
  private var lit: [Bool]

  /// Side of a block, pixels, of which every fourth is looked at each way; brighter than this was seen.
  private static let block = 8
  private static let black: UInt8 = 20

  /// Nothing was seen yet in images of this size.
  package init(width: Int, height: Int) {
    columns = (width + Self.block - 1) / Self.block
    rows = (height + Self.block - 1) / Self.block
    lit = [Bool](repeating: false, count: columns * rows)
  }

  /// Takes a frame in.
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

  /// Whether all that a patch about a place would hold was seen.
  package func contains(_ place: SIMD2<Float>) -> Bool {
    let column = Int(place.x) / Self.block, row = Int(place.y) / Self.block
    for y in max(0, row - 1)...min(rows - 1, row + 1) {
      for x in max(0, column - 1)...min(columns - 1, column + 1) where !lit[y * columns + x] { return false }
    }
    return true
  }
}
