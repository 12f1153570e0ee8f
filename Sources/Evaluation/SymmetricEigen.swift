/// Eigenvalues and eigenvectors of a small symmetric matrix by cyclic Jacobi rotations.
///
/// Source: Golub and Van Loan, "Matrix Computations", 4th ed., section 8.5. O(n^3) a sweep; converges quadratically.
enum SymmetricEigen {
  /// The eigenvector of the largest eigenvalue, of unit length. `matrix` is square, symmetric and finite.
  static func principalVector(of matrix: [[Double]]) -> [Double] {
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
