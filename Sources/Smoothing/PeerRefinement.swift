import Geometry

/// Moves a peer to where its ranges want it, the path being given.
///
/// Where path and peer are on one level, the ranges have no slope with the peer's height: a joint Gauss-Newton step throws it metres up or
/// down, and the whole step was refused for it, or damped until the path's scale crept. So the peer is moved after every step of the poses,
/// as the points are (`PointRefinement`).
package struct PeerRefinement: Sendable {
  /// A range, or what is left of it without the remembered part of the one before.
  package struct Row: Sendable {
    /// Where the antenna was, world, metres, and what was measured, metres.
    package var place: Vector3, range: Double
    /// The one before, and how much of its error is remembered.
    package var before: (place: Vector3, range: Double, share: Double)?
    /// 1-sigma of what is left, metres.
    package var sigma: Double

    /// A row from its parts.
    package init(
      place: Vector3, range: Double, before: (place: Vector3, range: Double, share: Double)? = nil, sigma: Double
    ) {
      self.place = place
      self.range = range
      self.before = before
      self.sigma = sigma
    }
  }

  /// Of a coordinate that is told this share of what is told of the place, or less, damping is as if it were that much.
  static let leastDamped = 1e-2

  private let rows: [Row]

  /// A refinement over rows.
  package init(_ rows: [Row]) { self.rows = rows }

  /// What the ranges and the priors of bias and scale cost.
  package func cost(_ peer: StaticPeer) -> Double {
    rows.reduce(0.5 * peer.priorResidual.reduce(0) { $0 + $1 * $1 }) { sum, row in
      let error = linearised(row, peer).residual
      return sum + RangeLink.loss.cost(error * error)
    }
  }

  /// A better peer and its cost; Levenberg-Marquardt, at most `steps` steps, until one gains less than a millionth. O(rows) a step.
  package func refined(_ start: StaticPeer, steps: Int) -> (peer: StaticPeer, cost: Double) {
    let size = StaticPeer.errorSize
    var peer = start, best = cost(peer), damping = 1e-3
    for _ in 0..<steps {
      var (matrix, gradient) = equations(peer)
      // Damping that vanished with a slope would not bound the step along it.
      let floor = Self.leastDamped * (matrix[0] + matrix[size + 1] + matrix[2 * (size + 1)])
      for i in 0..<size { matrix[i * (size + 1)] += damping * max(matrix[i * (size + 1)], floor) }
      guard let inverse = SquareMatrix(matrix, size: size).positiveInverse else { break }
      let candidate = peer.plus((inverse * gradient).map { -$0 }[...])
      let next = cost(candidate)
      if next.isFinite, next <= best {
        let gain = best - next
        (peer, best) = (candidate, next)
        damping = max(damping / 10, 1e-9)
        if gain < 1e-6 * (1 + best) { break }
      } else {
        damping *= 10
        if damping > 1e8 { break }
      }
    }
    return (peer, best)
  }

  private func equations(_ peer: StaticPeer) -> (matrix: [Double], gradient: [Double]) {
    let size = StaticPeer.errorSize
    var matrix = [Double](repeating: 0, count: size * size), gradient = [Double](repeating: 0, count: size)
    for (i, sigma) in [(3, StaticPeer.biasSigma), (4, StaticPeer.scaleSigma)] {
      matrix[i * (size + 1)] = 1 / (sigma * sigma)
      gradient[i] = peer.priorResidual[i - 3] / sigma
    }
    for row in rows {
      let (residual, slope) = linearised(row, peer)
      let weight = RangeLink.loss.weight(residual * residual)
      for i in 0..<size {
        gradient[i] += weight * slope[i] * residual
        for j in 0..<size { matrix[i * size + j] += weight * slope[i] * slope[j] }
      }
    }
    return (matrix, gradient)
  }

  /// A row's error in sigmas and its derivatives by the peer's five numbers.
  private func linearised(_ row: Row, _ peer: StaticPeer) -> (residual: Double, slope: [Double]) {
    var (residual, slope) = peer.predicted(row.place)
    residual -= row.range
    if let before = row.before {
      let old = peer.predicted(before.place)
      residual -= before.share * (old.range - before.range)
      for i in slope.indices { slope[i] -= before.share * old.slope[i] }
    }
    return (residual / row.sigma, slope.map { $0 / row.sigma })
  }
}
