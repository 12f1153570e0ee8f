import Estimator
import Foundation
import Geometry
import Ranging

/// What else may be true than what a link believes, and how that takes over.
extension PeerLink {
  /// Whether the belief has one direction.
  var isDirectionKnown: Bool {
    guard case .searching(let posterior) = stage else { return true }
    return posterior.hasBegun && posterior.agreement > cos(0.5)
  }

  /// The belief that a rival is set beside: `last` is the newest range. Nil where there is nothing to tell apart: there are no hypotheses yet,
  /// or the peer has said itself that it isMoving.
  func incumbent(_ last: PeerFilter.Range, filter: any NavigationFilter) -> PeerFilter? {
    switch stage {
    case .searching(let posterior):
      guard posterior.hasBegun, !(posterior.isMoving && reportedMoving == true) else { return nil }
      // Many hypotheses of one place cost what one Gaussian of it tells as well.
      return posterior.isMoving || posterior.count <= Self.fewHypotheses || !isDirectionKnown
        ? posterior : posterior.condensed(at: last)
    case .tracked(let tracked): return tracked.posterior(last: last, filter: filter)
    }
  }

  private static let fewHypotheses = 60

  /// The rival is right: it takes over. When the peer stopped is less well known than that it stands by now, so what a stationary rival
  /// has made of the ranges meanwhile is left; who began to walk did so when the rival did.
  func promoteAlternative(filter: any NavigationFilter) {
    if case .searching(let belief) = stage, belief.isMoving {
      replaceFilter(belief.stationary, filter: filter)
      if !isDirectionKnown { rival.seedFrom(with: belief) }
      return
    }
    guard let posterior = rival.posterior else { return }
    replaceFilter(posterior, filter: filter)
  }

  /// The radio errs more than was believed: from now on that is expected of it.
  func raiseNoise() {
    switch stage {
    case .searching(let posterior): stage = .searching(posterior.withLargerNoise ?? posterior)
    case .tracked(let tracked): stage = .tracked(tracked.withLargerNoise)
    }
    watch.reset()
    rival.dismiss()
  }
}
