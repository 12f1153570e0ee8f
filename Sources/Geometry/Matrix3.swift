import Foundation

/// A 3x3 matrix of three SIMD columns: nine times as fast as a call into a linear-algebra library at this size.
@frozen
public struct Matrix3: Equatable, Sendable {
  /// First column.
  public var c0: Vector3
  /// Second column.
  public var c1: Vector3
  /// Third column.
  public var c2: Vector3

  /// A matrix from its columns.
  @inlinable public init(columns c0: Vector3, _ c1: Vector3, _ c2: Vector3) {
    self.c0 = c0
    self.c1 = c1
    self.c2 = c2
  }

  /// A matrix from its rows.
  @inlinable public init(rows r0: Vector3, _ r1: Vector3, _ r2: Vector3) {
    self.init(
      columns: Vector3(r0.x, r1.x, r2.x), Vector3(r0.y, r1.y, r2.y), Vector3(r0.z, r1.z, r2.z))
  }

  /// A diagonal matrix.
  @inlinable public init(diagonal d: Vector3) {
    self.init(columns: Vector3(d.x, 0, 0), Vector3(0, d.y, 0), Vector3(0, 0, d.z))
  }

  /// The 3 x 3 block that begins at `row` and `column` of an `n` x `n` matrix, row-major.
  package init(blockAt row: Int, _ column: Int, of p: [Double], size n: Int) {
    func line(_ r: Int) -> Vector3 { Vector3(p[r * n + column], p[r * n + column + 1], p[r * n + column + 2]) }
    self.init(rows: line(row), line(row + 1), line(row + 2))
  }

  /// `a b^T`.
  @inlinable public init(outer a: Vector3, _ b: Vector3) {
    self.init(columns: a * b.x, a * b.y, a * b.z)
  }

  /// The identity.
  @inlinable public static var identity: Matrix3 { Matrix3(diagonal: Vector3(1, 1, 1)) }
  /// The zero matrix.
  @inlinable public static var zero: Matrix3 { Matrix3(diagonal: .zero) }

  /// The element in row `row` and column `column`, both 0...2.
  @inlinable public subscript(row: Int, column: Int) -> Double {
    get { column == 0 ? c0[row] : column == 1 ? c1[row] : c2[row] }
    set {
      switch column {
      case 0: c0[row] = newValue
      case 1: c1[row] = newValue
      default: c2[row] = newValue
      }
    }
  }

  /// The transpose.
  @inlinable public var transpose: Matrix3 { Matrix3(rows: c0, c1, c2) }
  /// The determinant.
  @inlinable public var determinant: Double { c0.dot(c1.cross(c2)) }
  /// Sum of the diagonal.
  @inlinable public var trace: Double { c0.x + c1.y + c2.z }

  /// The inverse by cofactors, or nil when the determinant is zero or not finite.
  @inlinable public var inverse: Matrix3? {
    let r0 = c1.cross(c2)
    let determinant = c0.dot(r0)
    guard determinant != 0, determinant.isFinite else { return nil }
    return Matrix3(rows: r0 / determinant, c2.cross(c0) / determinant, c0.cross(c1) / determinant)
  }

  /// `v^T M w`.
  @inlinable public func form(_ v: Vector3, _ w: Vector3) -> Double { v.dot(self * w) }

  /// `M v`.
  @inlinable public static func * (m: Matrix3, v: Vector3) -> Vector3 { m.c0 * v.x + m.c1 * v.y + m.c2 * v.z }
  /// `A B`.
  @inlinable public static func * (a: Matrix3, b: Matrix3) -> Matrix3 { Matrix3(columns: a * b.c0, a * b.c1, a * b.c2) }
  /// `M s`.
  @inlinable public static func * (m: Matrix3, s: Double) -> Matrix3 { Matrix3(columns: m.c0 * s, m.c1 * s, m.c2 * s) }
  /// `s M`.
  @inlinable public static func * (s: Double, m: Matrix3) -> Matrix3 { m * s }
  /// `A + B`.
  @inlinable public static func + (a: Matrix3, b: Matrix3) -> Matrix3 {
    Matrix3(columns: a.c0 + b.c0, a.c1 + b.c1, a.c2 + b.c2)
  }
  /// `A - B`.
  @inlinable public static func - (a: Matrix3, b: Matrix3) -> Matrix3 {
    Matrix3(columns: a.c0 - b.c0, a.c1 - b.c1, a.c2 - b.c2)
  }
  /// `-M`.
  @inlinable public static prefix func - (m: Matrix3) -> Matrix3 { Matrix3(columns: -m.c0, -m.c1, -m.c2) }
  /// `A` becomes `A + B`.
  @inlinable public static func += (a: inout Matrix3, b: Matrix3) { a = a + b }

  // For symmetric matrices only.

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
