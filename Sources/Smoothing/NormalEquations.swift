internal import CBlockCholesky

/// The normal equations of a least-squares problem along a recording: blocks of unknowns in time order, each coupled to
/// a few before it, and final blocks that may be coupled to all. All matrices are row-major.
package final class NormalEquations {
  /// Dimension of each block.
  package let sizes: [Int]
  private let system: OpaquePointer

  /// Nil without memory, or where a block would couple to one after it.
  ///
  /// - Parameter first: index of the earliest block that each block is coupled to.
  package init?(sizes: [Int], first: [Int]) {
    precondition(sizes.count == first.count, "one first block for every block")
    var created: OpaquePointer?
    let status = fuse_bc_create(Int32(sizes.count), sizes.map(Int32.init), first.map(Int32.init), &created)
    guard Int(status) == FUSE_BC_OK, let created else { return nil }
    self.sizes = sizes
    system = created
  }

  deinit { fuse_bc_destroy(system) }

  /// Resets to zeros.
  package func reset() { fuse_bc_reset(system) }

  /// Adds the rows `W (r + J x)`; J is rows x the sizes of `blocks`, W rows x rows (empty: the identity). False, with
  /// nothing added, when a number is not finite or two blocks are not coupled.
  @discardableResult
  package func add(blocks: [Int], jacobian: [Double], residual: [Double], weight: [Double] = []) -> Bool {
    let rows = residual.count, columns = blocks.reduce(0) { $0 + sizes[$1] }
    precondition(jacobian.count == rows * columns && (weight.isEmpty || weight.count == rows * rows), "shapes")
    let status = weight.withUnsafeBufferPointer { weight in
      fuse_bc_add(
        system, blocks.map(Int32.init), Int32(blocks.count), Int32(rows), weight.isEmpty ? nil : weight.baseAddress,
        jacobian, residual)
    }
    return Int(status) == FUSE_BC_OK
  }

  /// Adds the observations of one point, two rows each.
  ///
  /// - Parameters:
  ///   - blocks: the block of each observation, ascending; the Jacobian by its first six numbers is `pose`, 2n x 6.
  ///   - point: the point's block, of three numbers, after those; nil: it is eliminated at once. Jacobian `byPoint`, 2n
  ///     x 3.
  ///   - shared: a block after that one, on which all observations depend: Jacobian `common`, 2n x its size.
  ///   - residual: 2n.
  ///   - barrier: one more row, by the point's third number only: residual and derivative.
  @discardableResult
  package func addPoint(
    blocks: [Int32], point: Int?, shared: Int, pose: [Double], common: [Double], byPoint: [Double], residual: [Double],
    barrier: (value: Double, slope: Double) = (0, 0)
  ) -> Bool {
    let n = blocks.count
    precondition(residual.count == 2 * n && pose.count == 12 * n && byPoint.count == 6 * n, "shapes")
    precondition(common.count == 2 * n * sizes[shared], "shape of what is shared")
    let status = fuse_bc_add_point(
      system, blocks, Int32(n), Int32(point ?? -1), Int32(shared), pose, common, byPoint, residual,
      [barrier.slope, barrier.value])
    return Int(status) == FUSE_BC_OK
  }

  /// The step that solves `(H + damping diag H) x = -g`; nil where H is not positive definite. Consumes the added rows.
  package func solve(damping: Double) -> [Double]? {
    var step = [Double](repeating: 0, count: sizes.reduce(0, +))
    return Int(fuse_bc_solve(system, damping, &step)) == FUSE_BC_OK ? step : nil
  }

  /// After `solve`: computes the blocks of the inverse. False where it is not finite or memory runs out.
  package func invert() -> Bool { Int(fuse_bc_invert(system)) == FUSE_BC_OK }

  /// After `invert`: a block of the inverse; nil where the two are not coupled.
  package func inverse(_ row: Int, _ column: Int) -> [Double]? {
    var block = [Double](repeating: 0, count: sizes[row] * sizes[column])
    let status = fuse_bc_inverse_block(system, Int32(row), Int32(column), &block)
    return Int(status) == FUSE_BC_OK ? block : nil
  }
}
