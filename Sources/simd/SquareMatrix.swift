/// What the square matrices have in common: columns of numbers. Not Apple's; its matrices are separate structures, too.
///
/// Laws, tested at random matrices: `(a * b) * v == a * (b * v)`, `a * a.inverse == 1`,
/// `(a * b).transpose == b.transpose * a.transpose`, `(a * b).determinant == a.determinant * b.determinant`.
public protocol SquareMatrix: Hashable, Sendable {
  /// One column.
  associatedtype Column: SIMD & Sendable where Column.Scalar: BinaryFloatingPoint
  /// The zero matrix.
  init()
  /// Column `column`, from 0.
  subscript(column: Int) -> Column { get set }
}

extension SquareMatrix {
  /// Rows and columns.
  static var size: Int { Column.scalarCount }

  /// A matrix from its columns; missing ones are zero.
  public init(_ columns: [Column]) {
    self.init()
    for (k, column) in columns.prefix(Self.size).enumerated() { self[k] = column }
  }

  /// A matrix from its rows; missing ones are zero.
  public init(rows: [Column]) { self = Self(rows).transpose }

  /// `scalar` on the diagonal, zero elsewhere.
  public init(_ scalar: Column.Scalar) { self.init(diagonal: Column(repeating: scalar)) }

  /// `diagonal` on the diagonal, zero elsewhere.
  public init(diagonal: Column) {
    self.init()
    for k in 0..<Self.size { self[k, k] = diagonal[k] }
  }

  /// The number in `column` and `row`, both from 0; the column comes first, as with Apple.
  public subscript(column: Int, row: Int) -> Column.Scalar {
    get { self[column][row] }
    set { self[column][row] = newValue }
  }

  /// The product with a column.
  public static func * (a: Self, v: Column) -> Column {
    var sum = Column.zero
    for k in 0..<size { sum += a[k] * v[k] }
    return sum
  }
  /// The product of a row with a matrix.
  public static func * (v: Column, a: Self) -> Column { a.transpose * v }
  /// The matrix product.
  public static func * (a: Self, b: Self) -> Self { a.map(b) { a * $0 } }
  /// The product with a number.
  public static func * (a: Self, s: Column.Scalar) -> Self { a.map(a) { $0 * s } }
  /// The product with a number.
  public static func * (s: Column.Scalar, a: Self) -> Self { a * s }
  /// The sum.
  public static func + (a: Self, b: Self) -> Self { Self((0..<size).map { a[$0] + b[$0] }) }
  /// The difference.
  public static func - (a: Self, b: Self) -> Self { Self((0..<size).map { a[$0] - b[$0] }) }
  /// The negative matrix.
  public static prefix func - (a: Self) -> Self { a.map(a) { -$0 } }
  /// Multiplies from the right.
  public static func *= (a: inout Self, b: Self) { a = a * b }
  /// Multiplies by a number.
  public static func *= (a: inout Self, s: Column.Scalar) { a = a * s }
  /// Adds.
  public static func += (a: inout Self, b: Self) { a = a + b }
  /// Subtracts.
  public static func -= (a: inout Self, b: Self) { a = a - b }

  private func map(_ other: Self, _ change: (Column) -> Column) -> Self {
    var result = Self()
    for k in 0..<Self.size { result[k] = change(other[k]) }
    return result
  }

  /// Whether all numbers are equal.
  public static func == (a: Self, b: Self) -> Bool { (0..<size).allSatisfy { a[$0] == b[$0] } }

  /// Hashes the columns.
  public func hash(into hasher: inout Hasher) { for k in 0..<Self.size { hasher.combine(self[k]) } }

  /// The transposed matrix.
  public var transpose: Self {
    var result = Self()
    for column in 0..<Self.size { for row in 0..<Self.size { result[column, row] = self[row, column] } }
    return result
  }

  /// The inverse, by Gauss-Jordan elimination with partial pivoting in double precision; all NaN for a singular matrix.
  public var inverse: Self { eliminated().inverse }

  /// The determinant, by the same elimination.
  public var determinant: Column.Scalar { Column.Scalar(eliminated().determinant) }

  private func eliminated() -> (inverse: Self, determinant: Double) {
    let size = Self.size
    let singular = Self((0..<size).map { _ in Column(repeating: .nan) })
    var determinant = 1.0
    var rows = (0..<size).map { row in
      (0..<size).map { Double(self[$0, row]) } + (0..<size).map { $0 == row ? 1.0 : 0.0 }
    }
    for k in 0..<size {
      let pivot = (k..<size).max { Swift.abs(rows[$0][k]) < Swift.abs(rows[$1][k]) }!
      guard rows[pivot][k] != 0, rows[pivot][k].isFinite else { return (singular, rows[pivot][k] * 0) }
      if pivot != k { determinant = -determinant }
      rows.swapAt(k, pivot)
      let scale = rows[k][k]
      determinant *= scale
      rows[k] = rows[k].map { $0 / scale }
      for other in 0..<size where other != k {
        let factor = rows[other][k]
        rows[other] = zip(rows[other], rows[k]).map { $0 - factor * $1 }
      }
    }
    var result = Self()
    for column in 0..<size { for row in 0..<size { result[column, row] = Column.Scalar(rows[row][size + column]) } }
    return (result, determinant)
  }
}

/// The product of two matrices.
public func simd_mul<M: SquareMatrix>(_ a: M, _ b: M) -> M { a * b }
/// The product of a matrix and a column.
public func simd_mul<M: SquareMatrix>(_ a: M, _ b: M.Column) -> M.Column { a * b }
/// The product of a number and a matrix.
public func simd_mul<M: SquareMatrix>(_ a: M.Column.Scalar, _ b: M) -> M { b * a }
/// The sum of two matrices.
public func simd_add<M: SquareMatrix>(_ a: M, _ b: M) -> M { a + b }
/// The difference of two matrices.
public func simd_sub<M: SquareMatrix>(_ a: M, _ b: M) -> M { a - b }
/// The transposed matrix.
public func simd_transpose<M: SquareMatrix>(_ a: M) -> M { a.transpose }
/// The inverse matrix.
public func simd_inverse<M: SquareMatrix>(_ a: M) -> M { a.inverse }
/// The determinant.
public func simd_determinant<M: SquareMatrix>(_ a: M) -> M.Column.Scalar { a.determinant }
/// Whether all numbers are equal.
public func simd_equal<M: SquareMatrix>(_ a: M, _ b: M) -> Bool { a == b }
/// Whether no number differs by more than `tolerance`.
public func simd_almost_equal_elements<M: SquareMatrix>(_ a: M, _ b: M, _ tolerance: M.Column.Scalar) -> Bool {
  (0..<M.size).allSatisfy { column in (0..<M.size).allSatisfy { (a[column, $0] - b[column, $0]).magnitude <= tolerance }
  }
}
