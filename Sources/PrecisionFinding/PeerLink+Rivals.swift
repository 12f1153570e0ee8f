import Estimator
import Foundation
import Geometry
import Ranging

/// What else may be true than what a link believes, and how that takes over.
extension PeerLink {
  /// Whether the belief has one direction.
  var isPlaceKnown: Bool {
    guard case .searching(let posterior) = stage else { return true }
    return posterior.hasBegun && posterior.agreement > cos(0.5)
  }

  /// The belief that a rival is set beside: `last` is the newest range. Nil where there is nothing to tell apart: there are no hypotheses yet,
  /// or the peer has said itself that it walks.
  func challenged(_ last: PeerPosterior.Range, filter: any NavigationFilter) -> PeerPosterior? {
    switch stage {
    case .searching(let posterior):
      guard posterior.hasBegun, !(posterior.walks && toldMoving == true) else { return nil }
      // Many hypotheses of one place cost what one Gaussian of it tells as well.
      return posterior.walks || posterior.count <= Self.fewHypotheses || !isPlaceKnown
        ? posterior : posterior.condensed(at: last)
    case .tracked(let tracked): return tracked.posterior(last: last, filter: filter)
    }
  }

  private static let fewHypotheses = 60

  /// The rival is right: it takes over. When the peer stopped is less well known than that it stands by now, so what a standing rival
  /// has made of the ranges meanwhile is left; who began to walk did so when the rival did.
  func takeOver(filter: any NavigationFilter) {
    if case .searching(let belief) = stage, belief.walks {
      become(belief.standing, filter: filter)
      if !isPlaceKnown { rival.oppose(with: belief) }
      return
    }
    guard let posterior = rival.posterior else { return }
    become(posterior, filter: filter)
  }

  /// The radio errs more than was believed: from now on that is expected of it.
  func expectLouderRadio() {
    switch stage {
    case .searching(let posterior): stage = .searching(posterior.louder ?? posterior)
    case .tracked(let tracked): stage = .tracked(tracked.louder)
    }
    watch.reset()
    rival.dismiss()
  }
}
