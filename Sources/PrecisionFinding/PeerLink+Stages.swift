import Estimator
import Foundation
import Geometry
import Ranging

/// How a link gets from stage to stage.
extension PeerLink {
  /// Hands over once a single, narrow mode is left: then the filter's linearisation holds.
  func handOver(filter: any NavigationFilter) {
    guard case .searching(let posterior) = stage, posterior.hasBegun, !posterior.walks,
      rangesTaken >= configuration.handOverRanges
    else {
      return
    }
    // Seldom: directions that differ by half a radian are no narrow cone, seen from anywhere near.
    guard posterior.agreement > cos(0.5) else { return }
    let belief = Belief(
      worldFromDevice: Pose(rotation: .identity, translation: filter.worldFromBody.translation),
      gaussians: posterior.gaussians)
    let (mean, cone) = belief.direction
    guard cone <= Angle.degrees(configuration.handOverConeDegrees) else { return }
    let limit = cos(Angle.degrees(20))
    let rivals = belief.gaussians.reduce(0.0) { sum, g in
      sum + ((g.position - belief.worldFromDevice.translation).normalized.dot(mean) < limit ? g.weight : 0)
    }
    guard rivals < 1e-4 else { return }
    guard
      let tracked = TrackedPeer(
        posterior, filter: filter, configuration: configuration.ranging, antennas: antennas)
    else { return }
    stage = .tracked(tracked)
  }

  /// The belief that a rival is set beside: `last` is the newest range. Nil where there is nothing to tell apart: it is not known
  /// where the peer is, or it has said itself that it walks.
  func challenged(_ last: PeerPosterior.Range, filter: any NavigationFilter) -> PeerPosterior? {
    switch stage {
    case .searching(let posterior):
      guard posterior.hasBegun, posterior.walks ? toldMoving != true : posterior.agreement > cos(0.5) else {
        return nil
      }
      // Many hypotheses of one place cost what one Gaussian of it tells as well.
      return posterior.walks || posterior.count <= Self.fewHypotheses ? posterior : posterior.condensed(at: last)
    case .tracked(let tracked): return tracked.posterior(last: last, filter: filter)
    }
  }

  private static let fewHypotheses = 60

  /// The rival is right: it takes over. When the peer stopped is less well known than that it stands by now, so what a standing rival
  /// has made of the ranges meanwhile is left; who began to walk did so when the rival did.
  func takeOver(filter: any NavigationFilter) {
    if case .searching(let belief) = stage, belief.walks { return become(belief.standing, filter: filter) }
    guard let posterior = rival.posterior else { return }
    become(posterior, filter: filter)
  }

  /// The peer itself has said that it moves, or that it stands.
  ///
  /// - Parameter filter: the trajectory; nil where there is none.
  func hear(moves: Bool, filter: (any NavigationFilter)?) {
    toldMoving = moves
    switch stage {
    case .searching(let posterior):
      if posterior.walks != moves { become(moves ? posterior.walking : posterior.standing, filter: filter) }
    case .tracked(let tracked):
      guard moves, let filter, let last = watch.last else { return }
      become(tracked.posterior(last: last, filter: filter).walking, filter: filter)
    }
  }

  private func become(_ posterior: PeerPosterior, filter: (any NavigationFilter)?) {
    if case .tracked(let tracked) = stage, let filter { tracked.remove(from: filter) }
    stage = .searching(posterior)
    watch.reset()
    rival = WalkRival(limit: posterior.walks ? configuration.standLimit : configuration.walkLimit)
  }

  /// Every direction is possible again; `ranges` are what the new hypotheses know.
  func reopen(filter: any NavigationFilter, with ranges: [LinkWatch.Unexplained]) {
    var posterior = fresh
    drift = ranges.first?.drift ?? filter.accumulatedDrift
    for (range, then) in ranges {
      let lost = then - drift
      drift = then
      posterior.drift(positionVariance: lost.position, yawVariance: lost.yaw, device: range.device)
      posterior.update(range)
    }
    become(posterior, filter: filter)
    rangesTaken = ranges.count
    noteReopening()
  }

  /// Gives the peer up as a state of `filter`, which is about to go: what is known is lost but the link lives on.
  func detach(from filter: any NavigationFilter) { reopen(filter: filter, with: []) }
}
