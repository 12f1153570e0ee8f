import Geometry

/// Whitening of noise of a given covariance.
package enum Whitening {
  /// `W = L^-1` with `C = L L^T`, so that `W r` has unit covariance; nil where C is not positive definite. n x n,
  /// row-major.
  ///
  /// Every variance is increased by 1e-12 of the largest, so that zero (a sensor without random walk) is valid.
  package static func matrix(_ covariance: [Double], size n: Int) -> [Double]? {
    precondition(covariance.count == n * n, "a square matrix")
    let largest = (0..<n).reduce(0) { max($0, covariance[$1 * (n + 1)]) }
    var regular = covariance
    for i in 0..<n { regular[i * (n + 1)] += 1e-12 * largest }
    guard let lower = SmallCholesky.root(regular, size: n) else { return nil }
    var inverse = [Double](repeating: 0, count: n * n)
    for column in 0..<n {
      for i in column..<n {
        var sum = i == column ? 1.0 : 0.0
        for k in column..<i { sum -= lower[i * n + k] * inverse[k * n + column] }
        inverse[i * n + column] = sum / lower[i * n + i]
      }
    }
    return inverse
  }
}
