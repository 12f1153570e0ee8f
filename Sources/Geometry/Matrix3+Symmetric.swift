import Foundation

/// Of a symmetric matrix only: what is above the diagonal, or below, is not looked at where that is enough.
extension Matrix3 {
  /// Smallest eigenvalue, by the characteristic cubic (Smith 1961, doi:10.1145/355578.366316).
  package var smallestEigenvalue: Double {
    let q = trace / 3
    let shifted = self - Matrix3(diagonal: Vector3(q, q, q))
    var square = 0.0
    for r in 0..<3 { for c in 0..<3 { square += shifted[r, c] * shifted[r, c] } }
    let p = (square / 6).squareRoot()
    guard p > 1e-15 else { return q }
    let half = min(max((shifted * (1 / p)).determinant / 2, -1), 1)
    return q + 2 * p * cos(acos(half) / 3 + 2 * .pi / 3)
  }

  /// Lower triangular `C` with `C C^T` this matrix (Cholesky); nil unless it is positive definite.
  package var lowerRoot: Matrix3? {
    var c = Matrix3.zero
    for r in 0..<3 {
      for k in 0...r {
        var rest = self[r, k]
        for j in 0..<k { rest -= c[r, j] * c[k, j] }
        if r == k {
          guard rest > 0 else { return nil }
          c[r, r] = rest.squareRoot()
        } else {
          c[r, k] = rest / c[k, k]
        }
      }
    }
    return c
  }

  /// The smallest of `n^T M n / n^T B n` over all directions n; nil unless `B` is positive definite.
  package func smallestRatio(to b: Matrix3) -> Double? {
    guard let inverse = b.lowerRoot?.inverse else { return nil }
    return (inverse * self * inverse.transpose).smallestEigenvalue
  }
}
