internal import CLinearAlgebra

/// A linearised measurement `residual = H dx + n` over a few blocks of the error state; n has unit variance.
package struct LinearisedRows {
  /// The blocks that the columns belong to, each once.
  package var blocks: [ErrorCovariance.Block]
  /// rows x sum of the blocks' sizes, row-major.
  package var jacobian: [Double]
  /// Measured minus predicted, over the noise.
  package var residual: [Double]

  /// Rows from their parts.
  package init(blocks: [ErrorCovariance.Block], jacobian: [Double], residual: [Double]) {
    precondition(residual.isEmpty || jacobian.count % residual.count == 0, "shape of a Jacobian")
    self.blocks = blocks
    self.jacobian = jacobian
    self.residual = residual
  }

  /// Number of columns.
  package var width: Int { residual.isEmpty ? 0 : jacobian.count / residual.count }

  /// All rows of several measurements over the union of their blocks, in the order of the covariance.
  static func stacked(_ parts: [LinearisedRows], in covariance: ErrorCovariance) -> LinearisedRows {
    let blocks = Set(parts.flatMap(\.blocks)).sorted { covariance.offset(of: $0) < covariance.offset(of: $1) }
    var left: [ErrorCovariance.Block: Int] = [:]
    var width = 0
    for block in blocks {
      left[block] = width
      width += covariance.size(of: block)
    }
    let rows = parts.reduce(0) { $0 + $1.residual.count }
    var all = LinearisedRows(blocks: blocks, jacobian: [Double](repeating: 0, count: rows * width), residual: [])
    all.residual.reserveCapacity(rows)
    for part in parts {
      let top = all.residual.count, narrow = part.width
      var from = 0
      for block in part.blocks {
        let size = covariance.size(of: block), to = left[block]!
        for row in part.residual.indices {
          for j in 0..<size { all.jacobian[(top + row) * width + to + j] = part.jacobian[row * narrow + from + j] }
        }
        from += size
      }
      all.residual += part.residual
    }
    return all
  }

  /// The same information in at most as many rows as columns, by QR; nil when numbers run out.
  func compressed() -> LinearisedRows? {
    let count = residual.count, width = width
    guard count > width else { return self }
    var (H, r) = (jacobian, residual)
    guard Int(fuse_la_compress(&H, Int32(count), Int32(width), &r)) == FUSE_LA_OK else { return nil }
    return LinearisedRows(blocks: blocks, jacobian: Array(H[..<(width * width)]), residual: Array(r[..<width]))
  }

  /// As the kernels want it.
  func involved(_ covariance: ErrorCovariance) -> ErrorCovariance.Involved {
    let columns = blocks.flatMap { block -> Range<Int32> in
      let offset = Int32(covariance.offset(of: block))
      return offset..<offset + Int32(covariance.size(of: block))
    }
    return ErrorCovariance.Involved(columns: columns, matrix: jacobian)
  }
}
