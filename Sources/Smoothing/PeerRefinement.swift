import Geometry
import LeastSquares
import Ranging

/// Estimates a static peer from its ranges, with the path fixed.
///
/// Where path and peer are level, the ranges' derivative by the peer's vertical coordinate vanishes. A joint
/// Gauss-Newton step then moves the peer by metres vertically. The whole step is refused, or damped until the path's
/// scale hardly changes. So the peer is optimised after every step of the poses, as the points are (`PointRefinement`).
package struct PeerRefinement: Sendable {
  /// A range, decorrelated from the one before where that exists: `r_j - phi r_j-1`.
  package struct Row: Sendable {
    /// Position of the antenna, world, metres, and measured range, metres.
    package var antenna: Vector3, range: Double
    /// The one before, and phi, the correlation of its error with this one's.
    package var before: (antenna: Vector3, range: Double, correlation: Double)?
    /// 1-sigma of the decorrelated error, metres.
    package var sigma: Double

    /// A row from its parts.
    package init(
      antenna: Vector3, range: Double, before: (antenna: Vector3, range: Double, correlation: Double)? = nil,
      sigma: Double
    ) {
      self.antenna = antenna
      self.range = range
      self.before = before
      self.sigma = sigma
    }
  }

  /// Least diagonal element used for damping, as a fraction of the sum of those of the position.
  private static let minDampedFraction = 1e-2

  private let rows: [Row]
  private let biasSigma: Double

  /// A refinement over rows.
  ///
  /// - Parameter biasSigma: 1-sigma of the link's bias, metres.
  package init(_ rows: [Row], biasSigma: Double = StaticPeer.biasSigma) {
    self.rows = rows
    self.biasSigma = biasSigma
  }

  /// Cost of the ranges and of the priors of bias and scale.
  package func cost(_ peer: StaticPeer) -> Double {
    let prior = priorResidual(peer)
    return rows.reduce(0.5 * (prior[0] * prior[0] + prior[1] * prior[1])) { sum, row in
      let error = linearised(row, peer).residual
      return sum + RangeLink.loss.cost(error)
    }
  }

  /// The refined peer and its cost: Levenberg-Marquardt, at most `steps` steps, until one gains less than 1e-6
  /// relative. O(rows) per step.
  package func refined(_ start: StaticPeer, steps: Int) -> (peer: StaticPeer, cost: Double) {
    let size = StaticPeer.errorSize
    var peer = start, best = cost(peer)
    var descent = LevenbergMarquardt(steps: steps, absolute: 1e-6, relative: 1e-6, damping: .init(from: 1e-3))
    descent.descend(&peer, cost: &best) { peer, damping in
      var (matrix, gradient) = equations(peer)
      // Damping that vanishes with a derivative does not bound the step along it.
      let floor = Self.minDampedFraction * (matrix[0] + matrix[size + 1] + matrix[2 * (size + 1)])
      for i in 0..<size { matrix[i * (size + 1)] += damping * max(matrix[i * (size + 1)], floor) }
      guard let inverse = SquareMatrix(matrix, size: size).positiveInverse else { return .singular }
      let candidate = peer.plus((inverse * gradient).map { -$0 }[...])
      return .candidate(candidate, cost: cost(candidate))
    }
    return (peer, best)
  }

  /// Covariance of the peer's position at a minimum, m^2: the inverse of the normal equations, scaled by the residuals
  /// where these are larger than their sigmas say; nil where the position is not determined.
  package func covariance(_ peer: StaticPeer) -> Matrix3? {
    let size = StaticPeer.errorSize
    guard let spread = rows.map({ linearised($0, peer).residual }).robustDeviation().map({ max($0, 1) }),
      let inverse = SquareMatrix(equations(peer).matrix, size: size).positiveInverse
    else { return nil }
    let covariance = (spread * spread) * Matrix3(blockAt: 0, 0, of: inverse.numbers, size: size)
    return covariance.trace.isFinite ? covariance : nil
  }

  private func priorResidual(_ peer: StaticPeer) -> [Double] {
    [peer.bias / biasSigma, peer.scale / StaticPeer.scaleSigma]
  }

  private func equations(_ peer: StaticPeer) -> (matrix: [Double], gradient: [Double]) {
    let size = StaticPeer.errorSize
    var matrix = [Double](repeating: 0, count: size * size), gradient = [Double](repeating: 0, count: size)
    let prior = priorResidual(peer)
    for (i, sigma) in [(3, biasSigma), (4, StaticPeer.scaleSigma)] {
      matrix[i * (size + 1)] = 1 / (sigma * sigma)
      gradient[i] = prior[i - 3] / sigma
    }
    for row in rows {
      let (residual, slope) = linearised(row, peer)
      let weight = RangeLink.loss.weight(residual)
      for i in 0..<size {
        gradient[i] += weight * slope[i] * residual
        for j in 0..<size { matrix[i * size + j] += weight * slope[i] * slope[j] }
      }
    }
    return (matrix, gradient)
  }

  /// A row's residual in sigmas and its derivatives by the peer's five error states.
  private func linearised(_ row: Row, _ peer: StaticPeer) -> (residual: Double, slope: [Double]) {
    var (residual, slope) = peer.predicted(row.antenna)
    residual -= row.range
    if let before = row.before {
      let old = peer.predicted(before.antenna)
      residual -= before.correlation * (old.range - before.range)
      for i in slope.indices { slope[i] -= before.correlation * old.slope[i] }
    }
    return (residual / row.sigma, slope.map { $0 / row.sigma })
  }
}

/// A stationary peer and the errors of its link: `z = (1 + scale) |p - position| + bias + noise`.
///
/// Error state: (position, bias, scale), all additive.
package struct StaticPeer: Equatable, Sendable {
  /// Position, world, metres.
  package var position: Vector3
  /// Bias of the link, metres.
  package var bias: Double
  /// Scale error of the link.
  package var scale: Double

  /// Size of its error state.
  package static let errorSize = 5
  /// 1-sigma of the bias of an uncalibrated link, metres; of its scale. As in the filter's posterior of a peer.
  package static let biasSigma = 0.15, scaleSigma = 0.003

  /// A peer from its parts.
  package init(position: Vector3, bias: Double = 0, scale: Double = 0) {
    self.position = position
    self.bias = bias
    self.scale = scale
  }

  /// `x [+] d`.
  package func plus(_ d: ArraySlice<Double>) -> StaticPeer {
    let s = d.startIndex
    return StaticPeer(
      position: position + Vector3(d[s], d[s + 1], d[s + 2]), bias: bias + d[s + 3], scale: scale + d[s + 4])
  }

  /// Predicted range of an antenna (world), metres, and its derivatives by the peer's five error states.
  package func predicted(_ antenna: Vector3) -> (range: Double, slope: [Double]) {
    let offset = antenna - position
    let u = (1 + scale) * offset.normalized
    return ((1 + scale) * offset.norm + bias, [-u.x, -u.y, -u.z, 1, offset.norm])
  }

  /// Residuals of the priors of bias and scale, in sigmas.
  package var priorResidual: [Double] { [bias / Self.biasSigma, scale / Self.scaleSigma] }
}

/// Finds a static peer from ranges along a known path, if its position is unique.
package struct PeerSearch {
  /// 1-sigma of a range in the search, metres: large, since the path has errors.
  static let sigma = 0.15
  /// Number of correlated ranges with the information of one.
  private static let correlatedRanges = 10.0
  /// Most steps of a descent: along a weakly observable vertical each step only halves the error.
  static let mostSteps = 200
  /// Log likelihood ratio to any other mode that uniqueness requires.
  static let margin = 8.0

  /// Antenna positions, world, and measured ranges, metres.
  package let ranges: [(antenna: Vector3, range: Double)]

  /// A search over at least thirty ranges.
  package init(_ ranges: [(antenna: Vector3, range: Double)]) { self.ranges = ranges }

  /// The peer; nil where two positions explain the ranges, or none does.
  package func peer() -> StaticPeer? {
    guard ranges.count >= 30, let first = ranges.first else { return nil }
    let refinement = PeerRefinement(ranges.map { .init(antenna: $0.antenna, range: $0.range, sigma: Self.sigma) })
    var found: [(peer: StaticPeer, cost: Double)] = []
    for start in Self.starts(60, around: first.antenna, radius: first.range) {
      found.append(refinement.refined(start, steps: Self.mostSteps))
    }
    guard let best = found.min(by: { $0.cost < $1.cost }) else { return nil }
    let alternatives = found.filter { ($0.peer.position - best.peer.position).norm > 0.5 }
    let gap = alternatives.map { $0.cost - best.cost }.min() ?? .infinity
    let mean = best.cost / Double(ranges.count)
    return gap > Self.correlatedRanges * Self.margin && mean < 2 ? best.peer : nil
  }

  /// Peers in `count` directions from a place, uniform on the sphere.
  package static func starts(_ count: Int, around place: Vector3, radius: Double) -> [StaticPeer] {
    FibonacciLattice.directions(count).map { StaticPeer(position: place + radius * $0) }
  }
}
