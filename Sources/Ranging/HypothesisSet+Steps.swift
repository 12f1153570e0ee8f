import Geometry

/// What passes between two ranges.
extension HypothesisSet {
  /// Lets `seconds` pass in which the device moved `metres`: the Gauss-Markov biases forget.
  ///
  /// - Parameter antennaCorrelation: of the coloured errors of two antennas, 0...1.
  package mutating func predict(seconds: Double, metres: Double, antennaCorrelation: Double = 0) {
    let (coloured, n) = (layout.coloured, dimension)
    let memory = noises.map { $0.memory(after: seconds, metres: metres) }
    let news = zip(noises, memory).map { $0.coloured * $0.coloured * (1 - $1 * $1) }
    forEachCell { p, x, first, noise in
      var (phi, fresh) = (Lanes(repeating: 1), Lanes.zero)
      for lane in 0..<4 where first + 2 * lane < noise.count {
        let model = Int(noise[first + 2 * lane])
        (phi[lane], fresh[lane]) = (memory[model], news[model])
      }
      for a in coloured {
        x[a - 2] *= phi
        for k in 0...a { p[Self.triangle(a) + k] *= phi }
        for k in a..<n { p[Self.triangle(k) + a] *= phi }
        for b in coloured.lowerBound..<a { p[Self.triangle(a) + b] += antennaCorrelation * fresh }
        p[Self.triangle(a) + a] += fresh
      }
    }
  }

  /// Lets the peer drift relative to the device by what the trajectory lost.
  ///
  /// - Parameters:
  ///   - position: growth of the relative position's covariance, 3 x 3, world axes, m^2.
  ///   - yawVariance: growth of the heading variance, rad^2: turns the peer about the device at `device`.
  package mutating func drift(position: Matrix3, yawVariance: Double, device: Vector3) {
    guard position.trace > 0 || yawVariance > 0 else { return }
    let rows = (0..<3).map { LaneVector(repeating: Vector3(position[$0, 0], position[$0, 1], position[$0, 2])) }
    let from = LaneVector(repeating: anchor - device)
    forEachCell { p, x, _, _ in
      let start = UnsafePointer(x - Self.scalarsOffset)
      let (u, e1) = (LaneVector(start), LaneVector(start + Self.tangentOffset))
      let e2 = u.cross(e1)
      let inverse = 1 / x[0].atLeast(0.1)
      // The Jacobian's columns are orthogonal, so its inverse only scales.
      let d = from + x[0] * u
      let turn = LaneVector(-d.y, d.x, .zero)
      let (g0, g1, g2) = (turn.dot(e1) * inverse, turn.dot(e2) * inverse, turn.dot(u))
      func lost(_ v: LaneVector) -> LaneVector { LaneVector(rows[0].dot(v), rows[1].dot(v), rows[2].dot(v)) }
      let (lost0, lost1, lost2) = (lost(e1), lost(e2), lost(u))
      p[0] += yawVariance * g0 * g0 + lost0.dot(e1) * inverse * inverse
      p[1] += yawVariance * g1 * g0 + lost1.dot(e1) * inverse * inverse
      p[2] += yawVariance * g1 * g1 + lost1.dot(e2) * inverse * inverse
      p[3] += yawVariance * g2 * g0 + lost2.dot(e1) * inverse
      p[4] += yawVariance * g2 * g1 + lost2.dot(e2) * inverse
      p[5] += yawVariance * g2 * g2 + lost2.dot(u)
    }
  }

  /// Lets the distance wander by `variance`, m^2: nothing is known of the direction in which anybody moved.
  mutating func wander(variance: Double) { forEachCell { p, _, _, _ in p[5] += variance } }

  /// Tells everything from where the antenna is now, world, metres: of the way there nothing is known but about how long it was.
  mutating func follow(to antenna: Vector3) {
    wander(variance: (antenna - anchor).squaredNorm / 3)
    anchor = antenna
  }

  /// Every cell in order: its covariance, its scalars, its first hypothesis (the others follow by twos), and all hypotheses' noises.
  @inline(__always)
  mutating func forEachCell(
    _ body: (UnsafeMutablePointer<Lanes>, UnsafeMutablePointer<Lanes>, Int, [Int32]) -> Void
  ) {
    let (size, start, all) = (cellSize, covarianceOffset, noise)
    let groups = groups
    cells.withUnsafeMutableBufferPointer { cells in
      for cell in 0..<(2 * groups) {
        let base = cells.baseAddress! + cell * size
        body(base + start, base + Self.scalarsOffset, cell / 2 * 8 + cell % 2, all)
      }
    }
  }
}
