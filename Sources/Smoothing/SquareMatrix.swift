/// Operations on dense square matrices, row-major, of the size of an inertial error state. O(n^3), without a library:
/// used once per frame.
package struct SquareMatrix: Equatable, Sendable {
  /// Rows and columns.
  package let size: Int
  /// All elements, row-major.
  package var numbers: [Double]

  /// From its elements.
  ///
  /// - Precondition: `numbers.count == size * size`.
  package init(_ numbers: [Double], size: Int) {
    precondition(numbers.count == size * size, "a square matrix")
    self.size = size
    self.numbers = numbers
  }

  package static func identity(_ n: Int) -> SquareMatrix {
    SquareMatrix((0..<n * n).map { $0 % (n + 1) == 0 ? 1 : 0 }, size: n)
  }

  package subscript(row: Int, column: Int) -> Double {
    get { numbers[row * size + column] }
    set { numbers[row * size + column] = newValue }
  }

  package var transpose: SquareMatrix {
    var result = self
    for i in 0..<size { for j in 0..<size { result[i, j] = self[j, i] } }
    return result
  }

  package static func * (a: SquareMatrix, b: SquareMatrix) -> SquareMatrix {
    let n = a.size
    var product = [Double](repeating: 0, count: n * n)
    for i in 0..<n {
      for k in 0..<n where a.numbers[i * n + k] != 0 {
        let factor = a.numbers[i * n + k]
        for j in 0..<n { product[i * n + j] += factor * b.numbers[k * n + j] }
      }
    }
    return SquareMatrix(product, size: n)
  }

  package static func * (a: SquareMatrix, v: [Double]) -> [Double] {
    (0..<a.size).map { i in (0..<a.size).reduce(0) { $0 + a.numbers[i * a.size + $1] * v[$1] } }
  }

  package static func + (a: SquareMatrix, b: SquareMatrix) -> SquareMatrix {
    SquareMatrix(zip(a.numbers, b.numbers).map(+), size: a.size)
  }

  package static func - (a: SquareMatrix, b: SquareMatrix) -> SquareMatrix {
    SquareMatrix(zip(a.numbers, b.numbers).map(-), size: a.size)
  }

  /// Inverse of a covariance; nil where it is not positive definite.
  package var positiveInverse: SquareMatrix? {
    Whitening.matrix(numbers, size: size).map { w in
      let root = SquareMatrix(w, size: size)
      return root.transpose * root
    }
  }
}
