internal import CBlockCholesky

/// The normal equations of a least-squares problem along a recording: blocks of unknowns in time order, each coupled to a
/// few before it, and last blocks that may be coupled to all. Matrices go in and come out row-major.
package final class NormalEquations {
  /// Numbers of each block.
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

  /// Back to zeros.
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

  /// Adds the sights of one point, two rows each.
  ///
  /// - Parameters:
  ///   - blocks: which block saw it, ascending; its first six numbers are involved: `pose`, 2n x 6.
  ///   - point: the point's own block, of three numbers, after those; nil: it is eliminated at once. `byPoint`, 2n x 3.
  ///   - shared: a block after that one, on which all sights depend: `common`, 2n x its size.
  ///   - residual: 2n.
  ///   - wall: one more row, by the point's third number only: residual and slope.
  @discardableResult
  package func addPoint(
    blocks: [Int32], point: Int?, shared: Int, pose: [Double], common: [Double], byPoint: [Double], residual: [Double],
    wall: (value: Double, slope: Double) = (0, 0)
  ) -> Bool {
    let n = blocks.count
    precondition(residual.count == 2 * n && pose.count == 12 * n && byPoint.count == 6 * n, "shapes")
    precondition(common.count == 2 * n * sizes[shared], "shape of what is shared")
    let status = fuse_bc_add_point(
      system, blocks, Int32(n), Int32(point ?? -1), Int32(shared), pose, common, byPoint, residual,
      [wall.slope, wall.value])
    return Int(status) == FUSE_BC_OK
  }

  /// The step that solves `(H + damping diag H) x = -g`, all blocks' numbers; nil where H is not positive definite. What
  /// was added is used up.
  package func solve(damping: Double) -> [Double]? {
    var step = [Double](repeating: 0, count: sizes.reduce(0, +))
    return Int(fuse_bc_solve(system, damping, &step)) == FUSE_BC_OK ? step : nil
  }

  /// After `solve`: makes the inverse's blocks known. False where it would not be finite, or memory runs out.
  package func invert() -> Bool { Int(fuse_bc_invert(system)) == FUSE_BC_OK }

  /// After `invert`: a block of the inverse; nil where the two are not coupled.
  package func inverse(_ row: Int, _ column: Int) -> [Double]? {
    var block = [Double](repeating: 0, count: sizes[row] * sizes[column])
    let status = fuse_bc_inverse_block(system, Int32(row), Int32(column), &block)
    return Int(status) == FUSE_BC_OK ? block : nil
  }
}
