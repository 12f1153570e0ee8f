import Geometry

/// Components as Gaussians over the position in the world, four at a time.
extension GaussianSum {
  /// Component `i` as a Gaussian over the peer's position and the link's scale error.
  ///
  /// - Parameter step: prediction since the newest range, for a moving peer.
  package func gaussian(_ i: Int, weight: Double, after step: PeerVelocityModel.Step? = nil) -> PositionGaussian {
    cells.withUnsafeBufferPointer { cells in
      let cell = cells.baseAddress! + (i / 8 * 2 + i % 2) * cellSize
      var four = PositionGaussian4()
      read(cell, into: &four, after: step)
      return four.gaussian(i / 2 % 4, weight: weight, from: anchor)
    }
  }

  /// The components whose weights are above `least`, in the order of the cells.
  package func gaussians(weights: [Double], above least: Double, after step: PeerVelocityModel.Step?)
    -> [PositionGaussian]
  {
    var gaussians: [PositionGaussian] = []
    gaussians.reserveCapacity(weights.reduce(0) { $0 + ($1 > least ? 1 : 0) })
    forEachFour(weights: weights, above: least, after: step) { four, _ in
      for lane in 0..<4 where four.weight[lane] > 0 {
        gaussians.append(four.gaussian(lane, weight: four.weight[lane], from: anchor))
      }
    }
    return gaussians
  }

  /// The same with the components of one lattice direction merged by their moments, in the order of the directions.
  package func gaussiansByLatticeDirection(weights: [Double], above least: Double, after step: PeerVelocityModel.Step?)
    -> [PositionGaussian]
  {
    var sums = MomentAccumulator(kinds: Int(latticeDirection.max() ?? -1) + 1)
    latticeDirection.withUnsafeBufferPointer { latticeDirection in
      forEachFour(weights: weights, above: least, after: step) { four, first in
        sums.add(four, kinds: latticeDirection.baseAddress! + first, stride: 2)
      }
    }
    return sums.gaussians(from: anchor)
  }

  /// Calls `body` for every cell with a weight above `least`, in order: its Gaussians with weights (zero for the
  /// others), and the index of its first component; the others follow in steps of two.
  @inline(__always)
  private func forEachFour(
    weights: [Double], above least: Double, after step: PeerVelocityModel.Step?,
    _ body: (inout PositionGaussian4, Int) -> Void
  ) {
    var four = PositionGaussian4()
    cells.withUnsafeBufferPointer { cells in
      for cell in 0..<(2 * groups) {
        let first = cell / 2 * 8 + cell % 2
        var listed = Lanes.zero
        for lane in 0..<4 where first + 2 * lane < count {
          let weight = weights[first + 2 * lane]
          if weight > least { listed[lane] = weight }
        }
        guard listed != .zero else { continue }
        four.weight = listed
        read(cells.baseAddress! + cell * cellSize, into: &four, after: step)
        body(&four, first)
      }
    }
  }

  /// A cell's components as Gaussians relative to the anchor, without weights: `E P E^T` with E = (J, reach) over
  /// (position, velocity).
  @inline(__always)
  private func read(
    _ cell: UnsafePointer<Lanes>, into four: inout PositionGaussian4, after step: PeerVelocityModel.Step?
  ) {
    let (p, x, frame) = (cell + covarianceOffset, cell + Self.scalarsOffset, LaneFrame(cell))
    let s = layout.scale
    four.position = frame.rho * frame.u
    // Rows of P J^T, then J (P J^T).
    let (a, b, c) = (
      frame.outward(LaneVector(p[0], p[1], p[3])), frame.outward(LaneVector(p[1], p[2], p[4])),
      frame.outward(LaneVector(p[3], p[4], p[5]))
    )
    four.rows = (
      frame.outward(LaneVector(a.x, b.x, c.x)), frame.outward(LaneVector(a.y, b.y, c.y)),
      frame.outward(LaneVector(a.z, b.z, c.z))
    )
    four.scale = x[s - 2]
    four.scaleCovariance = frame.outward(LaneVector(p + Self.triangle(s)))
    four.scaleVariance = p[Self.triangle(s) + s]
    if let step, step.reach != 0, layout.isMoving { carry(&four, by: step, cell, frame) }
  }

  /// Predicts moving peers.
  private func carry(
    _ four: inout PositionGaussian4, by step: PeerVelocityModel.Step, _ cell: UnsafePointer<Lanes>, _ frame: LaneFrame
  ) {
    let (p, s, v) = (cell + covarianceOffset, layout.scale, layout.velocity.lowerBound)
    let (reach, t0, t1, t2) = (
      Lanes(repeating: step.reach), p + Self.triangle(v), p + Self.triangle(v + 1), p + Self.triangle(v + 2)
    )
    four.position = four.position + reach * LaneVector(cell + Self.scalarsOffset + v - 2)
    four.scaleCovariance = four.scaleCovariance + reach * LaneVector(t0[s], t1[s], t2[s])
    // Covariance of the position with each velocity component.
    let (d, e, f) = (frame.outward(LaneVector(t0)), frame.outward(LaneVector(t1)), frame.outward(LaneVector(t2)))
    let square = reach * reach
    func own(_ k: Int) -> LaneVector { LaneVector(repeating: Vector3(k == 0 ? 1 : 0, k == 1 ? 1 : 0, k == 2 ? 1 : 0)) }
    func add(_ row: inout LaneVector, _ k: Int, _ ahead: LaneVector, _ across: LaneVector, _ speeds: LaneVector) {
      row = row + reach * (ahead + across) + square * speeds + Lanes(repeating: step.positionVariance[k]) * own(k)
    }
    add(&four.rows.0, 0, d, LaneVector(d.x, e.x, f.x), LaneVector(t0[v], t1[v], t2[v]))
    add(&four.rows.1, 1, e, LaneVector(d.y, e.y, f.y), LaneVector(t1[v], t1[v + 1], t2[v + 1]))
    add(&four.rows.2, 2, f, LaneVector(d.z, e.z, f.z), LaneVector(t2[v], t2[v + 1], t2[v + 2]))
  }
}
