import Geometry

/// A 15 x 15 matrix of 3 x 3 blocks in the order (theta, p, v, b_g, b_a).
package struct BlockMatrix15: Sendable {
  private var blocks = [Matrix3](repeating: .zero, count: 25)

  /// Zero.
  package init() {}

  /// The block in block row `i` and block column `j`, both 0..<5.
  package subscript(i: Int, j: Int) -> Matrix3 {
    get { blocks[5 * i + j] }
    set { blocks[5 * i + j] = newValue }
  }

  /// All 225 numbers.
  package var rowMajor: [Double] {
    var result = [Double](repeating: 0, count: 225)
    for i in 0..<15 {
      for j in 0..<15 { result[15 * i + j] = blocks[5 * (i / 3) + j / 3][i % 3, j % 3] }
    }
    return result
  }
}
