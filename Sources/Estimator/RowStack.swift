internal import CLinearAlgebra

/// Stack of linearised measurements in the layout of the kernels, each over the covariance columns it involves. Noise
/// has unit variance. Reuse after `removeAll` does not allocate.
package struct RowStack: Equatable {
  /// Number of rows and of columns of each part.
  private var heights: [Int32] = [], widths: [Int32] = []
  /// Covariance rows of the columns, of all parts.
  private var columns: [Int32] = []
  /// rows x columns of each part, row-major.
  private var jacobian: [Double] = []
  /// Measured minus predicted, over the noise.
  package private(set) var residual: [Double] = []

  /// Empty.
  package init() {}

  /// Number of parts.
  package var count: Int { heights.count }
  /// Empties it; keeps the memory.
  mutating func removeAll() {
    heights.removeAll(keepingCapacity: true)
    widths.removeAll(keepingCapacity: true)
    columns.removeAll(keepingCapacity: true)
    jacobian.removeAll(keepingCapacity: true)
    residual.removeAll(keepingCapacity: true)
  }

  /// Appends rows as one part; they refer to the covariance's present layout.
  package mutating func append(_ rows: LinearisedRows, in covariance: ErrorCovariance) {
    var width = 0
    for block in rows.blocks {
      let offset = covariance.offset(of: block), size = covariance.size(of: block)
      for j in offset..<offset + size { columns.append(Int32(j)) }
      width += size
    }
    precondition(rows.jacobian.count == rows.residual.count * width, "shape of a Jacobian")
    heights.append(Int32(rows.residual.count))
    widths.append(Int32(width))
    jacobian.append(contentsOf: rows.jacobian)
    residual.append(contentsOf: rows.residual)
  }

  /// Appends all parts of another stack.
  mutating func append(_ other: RowStack) {
    heights.append(contentsOf: other.heights)
    widths.append(contentsOf: other.widths)
    columns.append(contentsOf: other.columns)
    jacobian.append(contentsOf: other.jacobian)
    residual.append(contentsOf: other.residual)
  }

  /// Every row: its columns, their coefficients and the residual.
  package func forEachRow(_ body: (ArraySlice<Int32>, ArraySlice<Double>, Double) -> Void) {
    var (column, coefficient, row) = (0, 0, 0)
    for (height, width) in zip(heights, widths) {
      for _ in 0..<height {
        body(
          columns[column..<column + Int(width)], jacobian[coefficient..<coefficient + Int(width)], residual[row])
        coefficient += Int(width)
        row += 1
      }
      column += Int(width)
    }
  }

  /// Passes all parts to a kernel.
  func withStack<Result>(_ body: (UnsafePointer<fuse_la_stack>) -> Result) -> Result {
    heights.withUnsafeBufferPointer { heights in
      widths.withUnsafeBufferPointer { widths in
        columns.withUnsafeBufferPointer { columns in
          jacobian.withUnsafeBufferPointer { jacobian in
            residual.withUnsafeBufferPointer { residual in
              var stack = fuse_la_stack(
                count: Int32(heights.count), rows: heights.baseAddress, widths: widths.baseAddress,
                columns: columns.baseAddress, H: jacobian.baseAddress, r: residual.baseAddress)
              return body(&stack)
            }
          }
        }
      }
    }
  }

  /// Makes this equivalent to `other` by QR, with at most as many rows as there are different columns; a copy of
  /// `other` if it has no more than that.
  ///
  /// - Returns: false when a number was not finite.
  package mutating func compress(_ other: RowStack, in covariance: ErrorCovariance) -> Bool {
    removeAll()
    guard other.count > 0 else { return true }
    let most = min(covariance.dimension, other.columns.count)
    columns.append(contentsOf: repeatElement(0, count: most))
    jacobian.append(contentsOf: repeatElement(0, count: most * most))
    residual.append(contentsOf: repeatElement(0, count: most))
    var (rows, width): (Int32, Int32) = (0, 0)
    let status = other.withStack {
      fuse_la_compress(
        $0, Int32(covariance.dimension), covariance.workspace, &columns, &jacobian, &residual, &rows, &width)
    }
    guard Int(status) == FUSE_LA_OK else {
      removeAll()
      if Int(status) == FUSE_LA_REJECTED { append(other) }
      return Int(status) == FUSE_LA_REJECTED
    }
    heights.append(rows)
    widths.append(width)
    columns.removeLast(most - Int(width))
    jacobian.removeLast(most * most - Int(rows * width))
    residual.removeLast(most - Int(rows))
    return true
  }
}
