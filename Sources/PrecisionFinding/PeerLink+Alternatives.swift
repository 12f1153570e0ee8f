import Estimator
import Foundation
import Geometry
import Ranging

/// Alternatives to a link's incumbent filter, and their promotion.
extension PeerLink {
  /// Whether the posterior has one direction.
  var isDirectionKnown: Bool {
    guard case .searching(let posterior) = stage else { return true }
    return posterior.hasBegun && posterior.meanResultantLength > cos(0.5)
  }

  /// The filter that the alternatives are compared with; `last` is the newest range. Nil where there is no alternative:
  /// there are no hypotheses yet, or the peer has reported that it is moving.
  func incumbent(_ last: PeerFilter.Range, filter: any NavigationFilter) -> PeerFilter? {
    switch stage {
    case .searching(let posterior):
      guard posterior.hasBegun, !(posterior.isMoving && reportedMoving == true) else { return nil }
      // Many hypotheses of one mode cost more than the one Gaussian that represents it.
      return posterior.isMoving || posterior.count <= Self.fewHypotheses || !isDirectionKnown
        ? posterior : posterior.condensed(at: last)
    case .tracked(let tracked): return tracked.posterior(last: last, filter: filter)
    }
  }

  private static let fewHypotheses = 60

  /// Promotes the alternative. The time of a stop is known less well than the fact, so a stationary alternative's
  /// updates since then are not used. A motion started when its alternative did.
  func promoteAlternative(filter: any NavigationFilter) {
    if case .searching(let incumbent) = stage, incumbent.isMoving {
      replaceFilter(incumbent.stationary, filter: filter)
      if !isDirectionKnown { motionAlternatives.seed(with: incumbent) }
      return
    }
    guard let posterior = motionAlternatives.posterior else { return }
    replaceFilter(posterior, filter: filter)
  }

  /// Accepts an increase of the radio's noise.
  func raiseNoise() {
    switch stage {
    case .searching(let posterior): stage = .searching(posterior.withLargerNoise ?? posterior)
    case .tracked(let tracked): stage = .tracked(tracked.withLargerNoise)
    }
    consistency.reset()
    motionAlternatives.clear()
  }
}
