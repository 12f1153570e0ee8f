internal import CLinearAlgebra
import Geometry

/// Symmetric normal equations in blocks of three unknowns: `A x = b` and the cost at x = 0.
package struct BlockSystem: Sendable {
  /// Number of blocks.
  package let size: Int
  /// b, by block.
  package var right: [Vector3]
  /// The cost.
  package var cost = 0.0
  private var upper: [Matrix3]

  /// Zero.
  package init(size: Int) {
    self.size = size
    right = [Vector3](repeating: .zero, count: size)
    upper = [Matrix3](repeating: .zero, count: size * size)
  }

  /// Adds a block at (i, j), and its transpose at (j, i).
  package mutating func add(_ i: Int, _ j: Int, _ block: Matrix3) {
    if i <= j { upper[i * size + j] += block } else { upper[j * size + i] += block.transpose }
  }

  /// Adds information about one block alone: `(target - x)^T W (target - x)` with diagonal W.
  package mutating func addPrior(_ i: Int, information: Vector3, target: Vector3) {
    add(i, i, Matrix3(diagonal: information))
    right[i] += information * target
    cost += (information * target).dot(target)
  }

  /// Multiplies the diagonal by `1 + damping`.
  package mutating func damp(_ damping: Double) {
    for i in 0..<size {
      for k in 0..<3 { upper[i * size + i][k, k] *= 1 + damping }
    }
  }

  /// x by block; nil when A is not positive definite.
  package func solved() -> [Vector3]? {
    var x = right.flatMap { [$0.x, $0.y, $0.z] }
    guard Int(fuse_la_solve(dense, Int32(3 * size), &x, 1)) == FUSE_LA_OK else { return nil }
    return (0..<size).map { Vector3(x[3 * $0], x[3 * $0 + 1], x[3 * $0 + 2]) }
  }

  /// The rows and columns of A^-1 that belong to some blocks, row-major; nil when A is not positive definite.
  package func covariance(of blocks: [Int]) -> [Double]? {
    let rows = blocks.flatMap { [3 * $0, 3 * $0 + 1, 3 * $0 + 2] }
    var sides = [Double](repeating: 0, count: 3 * size * rows.count)
    for (column, row) in rows.enumerated() { sides[row * rows.count + column] = 1 }
    guard Int(fuse_la_solve(dense, Int32(3 * size), &sides, Int32(rows.count))) == FUSE_LA_OK else { return nil }
    return rows.flatMap { row in sides[(row * rows.count)..<((row + 1) * rows.count)] }
  }

  /// Row-major; the lower triangle stays empty.
  private var dense: [Double] {
    let n = 3 * size
    var matrix = [Double](repeating: 0, count: n * n)
    for i in 0..<size {
      for j in i..<size {
        let block = upper[i * size + j]
        for a in 0..<3 { for b in 0..<3 { matrix[(3 * i + a) * n + 3 * j + b] = block[a, b] } }
      }
    }
    return matrix
  }
}
