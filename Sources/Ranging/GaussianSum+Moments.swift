import Geometry

/// Moment matching of the mixture.
extension GaussianSum {
  /// Mean and covariance of the mixture over (t, biases as in `layout`), t in the estimate's world, metres: `dimension`
  /// numbers, and that squared, row-major.
  ///
  /// - Parameter weights: one per component, summing to 1. O(components x dimension^2), four at a time.
  package func moments(weights: [Double]) -> (mean: [Double], covariance: [Double]) {
    let n = dimension
    var state = [Lanes](repeating: .zero, count: n)
    var sums = state
    forEachWeighted(weights) { cell, weight in
      readState(cell, into: &state)
      for k in 0..<n { sums[k] += state[k].weighted(weight) }
    }
    let mean = sums.map { $0.sum() }
    var squares = [Lanes](repeating: .zero, count: Self.triangle(n))
    forEachWeighted(weights) { cell, weight in
      readState(cell, into: &state)
      for k in 0..<n { state[k] -= mean[k] }
      addSquares(cell, weight, state, to: &squares)
    }
    var covariance = [Double](repeating: 0, count: n * n)
    for r in 0..<n {
      for c in 0...r {
        let value = squares[Self.triangle(r) + c].sum()
        (covariance[r * n + c], covariance[c * n + r]) = (value, value)
      }
    }
    return (mean, covariance)
  }

  /// Adds `w (J P J^T + x x^T)` of a cell, lower triangle, where J maps tangent coordinates into the world.
  @inline(__always)
  private func addSquares(_ cell: UnsafePointer<Lanes>, _ weight: Lanes, _ x: [Lanes], to sums: inout [Lanes]) {
    let (p, frame) = (cell + covarianceOffset, LaneFrame(cell))
    // Rows of P J^T, then columns of J (P J^T).
    let rows = (
      frame.outward(LaneVector(p[0], p[1], p[3])), frame.outward(LaneVector(p[1], p[2], p[4])),
      frame.outward(LaneVector(p[3], p[4], p[5]))
    )
    let x0 = frame.outward(LaneVector(rows.0.x, rows.1.x, rows.2.x))
    let x1 = frame.outward(LaneVector(rows.0.y, rows.1.y, rows.2.y))
    let x2 = frame.outward(LaneVector(rows.0.z, rows.1.z, rows.2.z))
    sums[0] += (x0.x + x[0] * x[0]).weighted(weight)
    sums[1] += (x0.y + x[1] * x[0]).weighted(weight)
    sums[2] += (x1.y + x[1] * x[1]).weighted(weight)
    sums[3] += (x0.z + x[2] * x[0]).weighted(weight)
    sums[4] += (x1.z + x[2] * x[1]).weighted(weight)
    sums[5] += (x2.z + x[2] * x[2]).weighted(weight)
    for r in 3..<dimension {
      let start = Self.triangle(r)
      let cross = frame.outward(LaneVector(p + start))
      sums[start] += (cross.x + x[r] * x[0]).weighted(weight)
      sums[start + 1] += (cross.y + x[r] * x[1]).weighted(weight)
      sums[start + 2] += (cross.z + x[r] * x[2]).weighted(weight)
      for c in 3...r { sums[start + c] += (p[start + c] + x[r] * x[c]).weighted(weight) }
    }
  }

  /// Means of a cell over (t, biases).
  @inline(__always)
  private func readState(_ cell: UnsafePointer<Lanes>, into state: inout [Lanes]) {
    let position = LaneVector(repeating: anchor) + cell[Self.scalarsOffset] * LaneVector(cell)
    (state[0], state[1], state[2]) = (position.x, position.y, position.z)
    for k in 3..<dimension { state[k] = cell[Self.scalarsOffset + k - 2] }
  }

  /// Calls `body` for every cell with a nonzero weight, in order, with its weights.
  @inline(__always)
  private func forEachWeighted(_ weights: [Double], _ body: (UnsafePointer<Lanes>, Lanes) -> Void) {
    cells.withUnsafeBufferPointer { cells in
      for cell in 0..<(2 * groups) {
        var four = Lanes.zero
        let first = cell / 2 * 8 + cell % 2
        for lane in 0..<4 where first + 2 * lane < count { four[lane] = weights[first + 2 * lane] }
        if four != .zero { body(cells.baseAddress! + cell * cellSize, four) }
      }
    }
  }
}

extension Lanes {
  /// Product with a weight, zero where the weight is zero: unused lanes of a cell hold arbitrary values.
  @inline(__always)
  fileprivate func weighted(_ weight: Lanes) -> Lanes { (weight * self).replacing(with: 0, where: weight .== 0) }
}
