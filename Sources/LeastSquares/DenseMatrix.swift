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
    SmallCholesky.inverseRoot(numbers, size: size).map { w in
      let root = SquareMatrix(w, size: size)
      return root.transpose * root
    }
  }
}

/// Symmetric positive definite systems of a few unknowns.
package enum SmallCholesky {
  /// `L` with `A = L L^T`, lower triangle, row-major, of which alone the lower triangle of A is read. Nil where A is not positive definite.
  package static func root(_ a: [Double], size n: Int) -> [Double]? {
    precondition(a.count >= n * n, "a square matrix")
    var root = a
    let isPositive = root.withUnsafeMutableBufferPointer { l in
      for r in 0..<n {
        let row = n &* r
        for c in 0...r {
          let other = n &* c
          var sum = l[row &+ c]
          for k in 0..<c { sum -= l[row &+ k] * l[other &+ k] }
          if r == c {
            guard sum > 0, sum.isFinite else { return false }
            l[row &+ r] = sum.squareRoot()
          } else {
            l[row &+ c] = sum / l[other &+ c]
          }
        }
      }
      return true
    }
    return isPositive ? root : nil
  }

  /// `L^-1 v`.
  package static func whitened(_ v: [Double], _ l: [Double]) -> [Double] {
    let n = v.count
    precondition(l.count >= n * n, "a square matrix")
    var whitened = v
    whitened.withUnsafeMutableBufferPointer { x in
      l.withUnsafeBufferPointer { l in
        for r in 0..<n {
          let row = n &* r
          var sum = x[r]
          for k in 0..<r { sum -= l[row &+ k] * x[k] }
          x[r] = sum / l[row &+ r]
        }
      }
    }
    return whitened
  }

  /// `A x = b`; only the lower triangle of the row-major A is read. Nil where A is not positive definite.
  package static func solve(_ a: [Double], _ b: [Double], size n: Int) -> [Double]? {
    root(a, size: n).map { solve(root: $0, b) }
  }

  /// `L L^T x = b`.
  package static func solve(root l: [Double], _ b: [Double]) -> [Double] {
    let n = b.count
    var solution = whitened(b, l)
    solution.withUnsafeMutableBufferPointer { x in
      l.withUnsafeBufferPointer { l in
        for r in stride(from: n - 1, through: 0, by: -1) {
          var sum = x[r]
          for k in (r + 1)..<max(n, r + 1) { sum -= l[n &* k &+ r] * x[k] }
          x[r] = sum / l[n &* r &+ r]
        }
      }
    }
    return solution
  }

  /// `W = L^-1` with `C = L L^T`, so that `W r` has unit covariance; nil where C is not positive definite. n x n,
  /// row-major.
  ///
  /// Every variance is increased by 1e-12 of the largest, so that zero (a sensor without random walk) is valid.
  package static func inverseRoot(_ covariance: [Double], size n: Int) -> [Double]? {
    precondition(covariance.count == n * n, "a square matrix")
    let largest = (0..<n).reduce(0) { max($0, covariance[$1 * (n + 1)]) }
    var regular = covariance
    for i in 0..<n { regular[i * (n + 1)] += 1e-12 * largest }
    guard let lower = root(regular, size: n) else { return nil }
    var inverse = [Double](repeating: 0, count: n * n)
    for column in 0..<n {
      var unit = [Double](repeating: 0, count: n)
      unit[column] = 1
      for (row, x) in whitened(unit, lower).enumerated() { inverse[row * n + column] = x }
    }
    return inverse
  }
}

/// Eigenvalues and eigenvectors of a small symmetric matrix by cyclic Jacobi rotations.
///
/// Source: Golub and Van Loan, "Matrix Computations", 4th ed., section 8.5. O(n^3) a sweep; converges quadratically.
package enum SymmetricEigen {
  /// The eigenvector of the largest eigenvalue, of unit length. `matrix` is square, symmetric and finite.
  package static func principalVector(of matrix: [[Double]]) -> [Double] {
    let n = matrix.count
    var a = matrix
    var vectors = (0..<n).map { row in (0..<n).map { $0 == row ? 1.0 : 0.0 } }
    for _ in 0..<50 {
      var offDiagonal = 0.0
      for p in 0..<n { for q in (p + 1)..<max(n, p + 1) { offDiagonal += a[p][q] * a[p][q] } }
      if offDiagonal < 1e-300 { break }
      for p in 0..<(n - 1) { for q in (p + 1)..<n { rotate(&a, &vectors, p, q) } }
    }
    var best = 0
    for k in 1..<n where a[k][k] > a[best][best] { best = k }
    return (0..<n).map { vectors[$0][best] }
  }

  /// One Jacobi rotation that makes `a[p][q]` zero.
  private static func rotate(_ a: inout [[Double]], _ vectors: inout [[Double]], _ p: Int, _ q: Int) {
    guard a[p][q] != 0 else { return }
    let tau = (a[q][q] - a[p][p]) / (2 * a[p][q])
    let t = (tau >= 0 ? 1.0 : -1.0) / (abs(tau) + (1 + tau * tau).squareRoot())
    let c = 1 / (1 + t * t).squareRoot()
    let s = t * c
    for k in a.indices {
      let (x, y) = (a[k][p], a[k][q])
      a[k][p] = c * x - s * y
      a[k][q] = s * x + c * y
      let (u, v) = (vectors[k][p], vectors[k][q])
      vectors[k][p] = c * u - s * v
      vectors[k][q] = s * u + c * v
    }
    for k in a.indices {
      let (x, y) = (a[p][k], a[q][k])
      a[p][k] = c * x - s * y
      a[q][k] = s * x + c * y
    }
  }
}
