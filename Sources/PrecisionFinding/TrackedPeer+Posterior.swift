import Estimator
import Geometry
import Ranging

/// The posterior of a tracked peer.
extension TrackedPeer {
  /// The peer's state (position, then the biases in the order of `LinkLayout`) and its covariance relative to the
  /// device at `origin` (world), row-major. The relative position error is `e = dt - dp - theta x d`, which angles and
  /// distances depend on.
  package func relative(filter: any NavigationFilter, origin: Vector3) -> (mean: [Double], covariance: [Double]) {
    let state = filter.vector(block)
    let skew = (Vector3(state[0], state[1], state[2]) - origin).skew
    let width = filter.covariance.size(of: filter.poseBlock)
    let (n, m) = (state.count, width + state.count)
    let p = filter.covariance.marginal([filter.poseBlock, block])
    // e = [d]x theta - dp + dt; the origin's lever arm also rotates with theta and is centimetres: it is neglected.
    var j = [[(index: Int, value: Double)]](repeating: [], count: n)
    for r in 0..<n {
      j[r] = [(width + r, 1)]
      if r < 3 { j[r] += (0..<3).map { ($0, skew[r, $0]) } + [(3 + r, -1)] }
    }
    var covariance = [Double](repeating: 0, count: n * n)
    for r in 0..<n {
      for c in 0..<n {
        for a in j[r] { for b in j[c] { covariance[r * n + c] += a.value * p[a.index * m + b.index] * b.value } }
      }
    }
    return (state, covariance)
  }

  /// The peer as seen from the device at `origin` (world).
  package func gaussian(filter: any NavigationFilter, origin: Vector3) -> PositionGaussian {
    let (state, p) = relative(filter: filter, origin: origin)
    let (n, s) = (state.count, layout.scale)
    func row(_ r: Int) -> Vector3 { Vector3(p[r * n], p[r * n + 1], p[r * n + 2]) }
    var result = PositionGaussian(
      weight: 1, position: Vector3(state[0], state[1], state[2]), covariance: Matrix3(rows: row(0), row(1), row(2)))
    result.scale = state[s]
    result.scaleCovariance = row(s)
    result.scaleVariance = p[s * n + s]
    return result
  }

  /// The same posterior as a part of a Gaussian-sum filter.
  package func part(weight: Double, filter: any NavigationFilter) -> PeerFilter.Part {
    let (mean, covariance) = relative(filter: filter, origin: filter.worldFromBody.translation)
    return PeerFilter.Part(
      probability: weight, mean: mean, covariance: covariance, losProbability: chain.losProbability)
  }

  /// Covariance of the peer's position in the estimate's world, m^2.
  package func worldCovariance(filter: any NavigationFilter) -> Matrix3 {
    let n = filter.covariance.size(of: block)
    let p = filter.covariance.marginal([block])
    return Matrix3(
      rows: Vector3(p[0], p[1], p[2]), Vector3(p[n], p[n + 1], p[n + 2]), Vector3(p[2 * n], p[2 * n + 1], p[2 * n + 2]))
  }
}
