/// A 4x4 matrix of single-precision numbers, by columns: with Apple, `columns.3` of a pose is its translation.
///
/// Laws, tested at random matrices: `(a * b) * v == a * (b * v)`, `a * a.inverse == 1`,
/// `(a * b).transpose == b.transpose * a.transpose`.
public struct simd_float4x4: Hashable, Sendable {
  private var storage: [simd_float4]

  /// The four columns.
  public var columns: (simd_float4, simd_float4, simd_float4, simd_float4) {
    get { (storage[0], storage[1], storage[2], storage[3]) }
    set { storage = [newValue.0, newValue.1, newValue.2, newValue.3] }
  }

  /// The zero matrix.
  public init() { storage = Array(repeating: .zero, count: 4) }

  /// A matrix from its columns.
  public init(_ c0: simd_float4, _ c1: simd_float4, _ c2: simd_float4, _ c3: simd_float4) {
    storage = [c0, c1, c2, c3]
  }

  /// A matrix from its columns.
  public init(columns: (simd_float4, simd_float4, simd_float4, simd_float4)) {
    self.init(columns.0, columns.1, columns.2, columns.3)
  }

  /// `scalar` on the diagonal, zero elsewhere.
  public init(_ scalar: Float) { self.init(diagonal: simd_float4(repeating: scalar)) }

  /// `diagonal` on the diagonal, zero elsewhere.
  public init(diagonal: simd_float4) {
    self.init()
    for k in 0..<4 { storage[k][k] = diagonal[k] }
  }

  /// Column `column`, 0...3.
  public subscript(column: Int) -> simd_float4 {
    get { storage[column] }
    set { storage[column] = newValue }
  }

  /// The number in `column` and `row`, both 0...3; the column comes first, as with Apple.
  public subscript(column: Int, row: Int) -> Float {
    get { storage[column][row] }
    set { storage[column][row] = newValue }
  }

  /// The product with a column.
  public static func * (a: Self, v: simd_float4) -> simd_float4 {
    (0..<4).reduce(.zero) { $0 + a.storage[$1] * v[$1] }
  }

  /// The matrix product.
  public static func * (a: Self, b: Self) -> Self { Self(a * b[0], a * b[1], a * b[2], a * b[3]) }

  /// The transposed matrix.
  public var transpose: Self {
    var result = Self()
    for column in 0..<4 { for row in 0..<4 { result[column, row] = self[row, column] } }
    return result
  }

  /// The inverse, by Gauss-Jordan elimination with partial pivoting in double precision; all NaN for a singular matrix.
  public var inverse: Self {
    var rows = (0..<4).map { row in (0..<4).map { Double(self[$0, row]) } + (0..<4).map { $0 == row ? 1.0 : 0.0 } }
    for k in 0..<4 {
      let pivot = (k..<4).max { abs(rows[$0][k]) < abs(rows[$1][k]) }!
      guard rows[pivot][k] != 0, rows[pivot][k].isFinite else { return Self(simd_float4(repeating: .nan)) }
      rows.swapAt(k, pivot)
      let scale = rows[k][k]
      rows[k] = rows[k].map { $0 / scale }
      for other in 0..<4 where other != k {
        let factor = rows[other][k]
        rows[other] = zip(rows[other], rows[k]).map { $0 - factor * $1 }
      }
    }
    var result = Self()
    for column in 0..<4 { for row in 0..<4 { result[column, row] = Float(rows[row][4 + column]) } }
    return result
  }

  private init(_ everyColumn: simd_float4) { self.init(everyColumn, everyColumn, everyColumn, everyColumn) }
}
