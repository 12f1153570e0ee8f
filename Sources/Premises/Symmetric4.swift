/// A symmetric matrix of four rows, for normal equations.
package struct Symmetric4 {
  package init() {}

  /// Its columns.
  private var columns = (SIMD4<Double>.zero, SIMD4<Double>.zero, SIMD4<Double>.zero, SIMD4<Double>.zero)

  package var diagonal: SIMD4<Double> { SIMD4(columns.0.x, columns.1.y, columns.2.z, columns.3.w) }

  /// `A += w v v^T`.
  @inline(__always)
  package mutating func add(_ weight: Double, _ v: SIMD4<Double>) {
    let scaled = weight * v
    columns.0 += scaled.x * v
    columns.1 += scaled.y * v
    columns.2 += scaled.z * v
    columns.3 += scaled.w * v
  }

  package mutating func addDiagonal(_ d: SIMD4<Double>) {
    columns.0.x += d.x
    columns.1.y += d.y
    columns.2.z += d.z
    columns.3.w += d.w
  }

  /// `A x = b` by `A = L D L^T`; nil where A is not positive definite.
  package func solve(_ b: SIMD4<Double>) -> SIMD4<Double>? {
    var (c0, c1, c2, c3) = columns
    guard c0.x > 0, c0.x.isFinite else { return nil }
    let l0 = c0 / c0.x
    c1 -= l0.y * c0
    c2 -= l0.z * c0
    c3 -= l0.w * c0
    guard c1.y > 0, c1.y.isFinite else { return nil }
    let l1 = c1 / c1.y
    c2 -= l1.z * c1
    c3 -= l1.w * c1
    guard c2.z > 0, c2.z.isFinite else { return nil }
    let l2 = c2 / c2.z
    c3 -= l2.w * c2
    guard c3.w > 0, c3.w.isFinite else { return nil }
    var x = b
    x.y -= l0.y * x.x
    x.z -= l0.z * x.x + l1.z * x.y
    x.w -= l0.w * x.x + l1.w * x.y + l2.w * x.z
    x /= SIMD4(c0.x, c1.y, c2.z, c3.w)
    x.z -= l2.w * x.w
    x.y -= l1.z * x.z + l1.w * x.w
    x.x -= l0.y * x.y + l0.z * x.z + l0.w * x.w
    return x
  }
}
