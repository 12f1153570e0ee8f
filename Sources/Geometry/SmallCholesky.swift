/// Symmetric positive definite systems of a few unknowns.
package enum SmallCholesky {
  /// `L` with `A = L L^T`, lower triangle, row-major, of which alone the lower triangle of A is read. Nil where A is not positive definite.
  package static func root(_ a: [Double], size n: Int) -> [Double]? {
    var l = a
    for r in 0..<n {
      for c in 0...r {
        var sum = l[n * r + c]
        for k in 0..<c { sum -= l[n * r + k] * l[n * c + k] }
        if r == c {
          guard sum > 0, sum.isFinite else { return nil }
          l[n * r + r] = sum.squareRoot()
        } else {
          l[n * r + c] = sum / l[n * c + c]
        }
      }
    }
    return l
  }

  /// `L^-1 v`.
  package static func whitened(_ v: [Double], _ l: [Double]) -> [Double] {
    let n = v.count
    var x = v
    for r in 0..<n {
      for k in 0..<r { x[r] -= l[n * r + k] * x[k] }
      x[r] /= l[n * r + r]
    }
    return x
  }

  /// `A x = b`; only the lower triangle of the row-major A is read. Nil where A is not positive definite.
  package static func solve(_ a: [Double], _ b: [Double], size n: Int) -> [Double]? {
    guard let l = root(a, size: n) else { return nil }
    var x = whitened(b, l)
    for r in stride(from: n - 1, through: 0, by: -1) {
      for k in (r + 1)..<max(n, r + 1) { x[r] -= l[n * k + r] * x[k] }
      x[r] /= l[n * r + r]
    }
    return x
  }
}
