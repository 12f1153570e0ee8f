import Geometry

/// What hypotheses say, one by one.
extension HypothesisSet {
  /// Unit vector from the anchor to where hypothesis `i` puts the peer.
  package func direction(_ i: Int) -> Vector3 { withNumbers(of: i) { Vector3($0[0], $0[4], $0[8]) } }

  /// The first of the two tangents at it, a unit vector; the second is the direction's cross product with it.
  package func tangent(_ i: Int) -> Vector3 {
    withNumbers(of: i) { p in
      let at = 4 * Self.tangentOffset
      return Vector3(p[at], p[at + 4], p[at + 8])
    }
  }

  /// `dimension - 2` numbers: rho, then the biases as in `layout`.
  package func scalars(_ i: Int) -> [Double] {
    withNumbers(of: i) { p in (0..<(dimension - 2)).map { p[4 * (Self.scalarsOffset + $0)] } }
  }

  /// Row-major, `dimension` squared.
  package func covariance(_ i: Int) -> [Double] {
    let n = dimension
    var result = [Double](repeating: 0, count: n * n)
    withNumbers(of: i) { p in
      for r in 0..<n {
        for c in 0...r {
          let value = p[4 * (covarianceOffset + Self.triangle(r) + c)]
          (result[r * n + c], result[c * n + r]) = (value, value)
        }
      }
    }
    return result
  }

  /// Metres from the anchor.
  func rho(_ i: Int) -> Double { withNumbers(of: i) { $0[4 * Self.scalarsOffset] } }

  /// Where hypothesis `i` puts the peer, world, metres.
  package func position(_ i: Int) -> Vector3 { anchor + rho(i) * direction(i) }

  /// Hypothesis `i` as a Gaussian over the peer's position and the link's scale.
  ///
  /// - Parameter step: what has passed since, for a peer that walks.
  package func gaussian(_ i: Int, weight: Double, after step: WalkModel.Step? = nil) -> TargetGaussian {
    cells.withUnsafeBufferPointer { cells in
      let cell = cells.baseAddress! + (i / 8 * 2 + i % 2) * cellSize
      return fourGaussians(cell, after: step).gaussian(i / 2 % 4, weight: weight, from: anchor)
    }
  }

  /// Those hypotheses whose weights are above `least`, in the order of the cells, with their indices.
  func forEachGaussian(
    weights: [Double], above least: Double, after step: WalkModel.Step?, _ body: (Int, TargetGaussian) -> Void
  ) {
    cells.withUnsafeBufferPointer { cells in
      for cell in 0..<(2 * groups) {
        let first = cell / 2 * 8 + cell % 2
        let listed = stride(from: first, to: min(first + 8, count), by: 2).filter { weights[$0] > least }
        guard !listed.isEmpty else { continue }
        let four = fourGaussians(cells.baseAddress! + cell * cellSize, after: step)
        for i in listed { body(i, four.gaussian(i / 2 % 4, weight: weights[i], from: anchor)) }
      }
    }
  }

  /// A cell's hypotheses as Gaussians seen from the anchor, without weights: `E P E^T` with E = (J, reach) over (place, velocity).
  private func fourGaussians(_ cell: UnsafePointer<Lanes>, after step: WalkModel.Step?) -> FourGaussians {
    let (p, x, frame) = (cell + covarianceOffset, cell + Self.scalarsOffset, LaneFrame(cell))
    let (s, v) = (layout.scale, layout.velocity.lowerBound)
    var four = FourGaussians()
    four.place = frame.rho * frame.u
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
    guard layout.walks, let step, step.reach != 0 else { return four }
    let (reach, t) = (Lanes(repeating: step.reach), (0..<3).map { p + Self.triangle(v + $0) })
    four.place = four.place + reach * LaneVector(x + v - 2)
    four.scaleCovariance = four.scaleCovariance + reach * LaneVector(t[0][s], t[1][s], t[2][s])
    // Covariance of the place with each velocity.
    let (d, e, f) = (
      frame.outward(LaneVector(t[0])), frame.outward(LaneVector(t[1])), frame.outward(LaneVector(t[2]))
    )
    let square = reach * reach
    func own(_ k: Int) -> LaneVector { LaneVector(repeating: Vector3(k == 0 ? 1 : 0, k == 1 ? 1 : 0, k == 2 ? 1 : 0)) }
    func add(_ row: inout LaneVector, _ k: Int, _ ahead: LaneVector, _ across: LaneVector, _ speeds: LaneVector) {
      row = row + reach * (ahead + across) + square * speeds + Lanes(repeating: step.place[k]) * own(k)
    }
    add(&four.rows.0, 0, d, LaneVector(d.x, e.x, f.x), LaneVector(t[0][v], t[1][v], t[2][v]))
    add(&four.rows.1, 1, e, LaneVector(d.y, e.y, f.y), LaneVector(t[1][v], t[1][v + 1], t[2][v + 1]))
    add(&four.rows.2, 2, f, LaneVector(d.z, e.z, f.z), LaneVector(t[2][v], t[2][v + 1], t[2][v + 2]))
    return four
  }
}
