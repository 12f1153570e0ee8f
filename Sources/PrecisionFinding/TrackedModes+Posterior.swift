import Estimator
import Geometry
import Ranging

/// The posterior of a tracked peer.
extension TrackedModes {
  /// The peer as seen from the device at `origin` (world); weights sum to 1.
  package func gaussians(filter: any NavigationFilter, origin: Vector3) -> [PositionGaussian] {
    modes.map { mode in
      var gaussian = mode.peer.gaussian(filter: filter, origin: origin)
      gaussian.weight = mode.weight
      return gaussian
    }
  }

  /// The same posterior as a Gaussian-sum filter, `last` being the newest range.
  package func posterior(last: PeerFilter.Range, filter: any NavigationFilter) -> PeerFilter {
    let best = best
    return PeerFilter(
      modes.map { $0.peer.part(weight: $0.weight, filter: filter) }, last: last, noise: best.noise,
      nlosRate: best.nlosRate, configuration: best.configuration, layout: best.layout)
  }

  /// Covariance of the peer's position in the estimate's world, m^2.
  package func worldCovariance(filter: any NavigationFilter) -> Matrix3 {
    let parts = modes.map { mode in
      let state = filter.vector(mode.peer.block)
      return (weight: mode.weight, position: Vector3(state[0], state[1], state[2]), peer: mode.peer)
    }
    let mean = parts.reduce(Vector3.zero) { $0 + $1.weight * $1.position }
    return parts.reduce(Matrix3.zero) { sum, mode in
      let offset = mode.position - mean
      return sum + mode.weight * (mode.peer.worldCovariance(filter: filter) + Matrix3(outer: offset, offset))
    }
  }
}
