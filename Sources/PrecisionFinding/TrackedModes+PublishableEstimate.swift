import Estimator
import Geometry
import Ranging

/// What is read off a tracked peer.
extension TrackedModes {
  /// The peer as seen from the device at `origin` (world); weights sum to 1.
  package func gaussians(filter: any NavigationFilter, origin: Vector3) -> [PositionGaussian] {
    modes.map { mode in
      var gaussian = mode.peer.gaussian(filter: filter, origin: origin)
      gaussian.weight = mode.share
      return gaussian
    }
  }

  /// The same belief as hypotheses, `last` being the newest range.
  package func posterior(last: PeerFilter.Range, filter: any NavigationFilter) -> PeerFilter {
    let best = best
    return PeerFilter(
      modes.map { $0.peer.part(share: $0.share, filter: filter) }, last: last, noise: best.noise,
      sight: best.sight, configuration: best.configuration, layout: best.layout)
  }

  /// Covariance of the peer's position in the estimate's world, m^2.
  package func worldCovariance(filter: any NavigationFilter) -> Matrix3 {
    let places = modes.map { mode in
      let state = filter.vector(mode.peer.block)
      return (share: mode.share, place: Vector3(state[0], state[1], state[2]), peer: mode.peer)
    }
    let mean = places.reduce(Vector3.zero) { $0 + $1.share * $1.place }
    return places.reduce(Matrix3.zero) { sum, mode in
      let offset = mode.place - mean
      return sum + mode.share * (mode.peer.worldCovariance(filter: filter) + Matrix3(outer: offset, offset))
    }
  }
}
