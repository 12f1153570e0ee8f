import Foundation

/// For symmetric matrices only.
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
}
