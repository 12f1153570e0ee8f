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
}
