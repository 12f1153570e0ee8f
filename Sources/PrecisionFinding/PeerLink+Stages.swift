import Estimator
import Foundation
import Geometry
import Ranging

/// How a link gets from stage to stage.
extension PeerLink {
  /// Hands over once one narrow mode is left, or few: then the filter's linearisation holds at each, if it knows its own way.
  func handOver(filter: any NavigationFilter) {
    guard case .searching(let posterior) = stage, posterior.hasBegun, !posterior.isMoving,
      rangesTaken >= configuration.handOverRanges, !ConsistencyMonitor.isLost(filter),
      // Ranges to a place that angles have made up would bend the path towards it.
      aoaValidity.probability <= configuration.maxProbabilityBeyond20Degrees, !rival.isOpen
    else {
      return
    }
    // Seldom: directions that differ by half a radian are no narrow cone, seen from anywhere near, nor a mirror image that lasts.
    guard posterior.agreement > cos(0.5), let places = places(posterior, filter: filter),
      let tracked = TrackedModes(
        places, of: posterior, filter: filter, configuration: configuration.ranging, antennas: antennas)
    else {
      return
    }
    if let noise { aperture.endSearch(posterior.gaussians, noise: noise) }
    stage = .tracked(tracked)
  }

  /// Most places at which a peer is tracked: two heights, in two directions or with something between them.
  private static let mostPlaces = 4

  /// The places that are left, as seen from the device; nil where they are too many, or one too wide.
  private func places(_ posterior: PeerFilter, filter: any NavigationFilter) -> [PeerFilter.Mode]? {
    let here = Pose(rotation: .identity, translation: filter.worldFromBody.translation)
    let widest = Angle.degrees(configuration.handOverConeDegrees)
    let whole = PosteriorView(worldFromDevice: here, gaussians: posterior.gaussians)
    let (mean, cone) = whole.direction
    if cone <= widest {
      let limit = cos(Angle.degrees(20))
      let rivals = whole.gaussians.reduce(0.0) { sum, g in
        sum + ((g.position - here.translation).normalized.dot(mean) < limit ? g.weight : 0)
      }
      return rivals < 1e-4 ? posterior.merged.map { [$0] } : nil
    }
    guard let modes = posterior.modes(from: here.translation, within: widest, most: Self.mostPlaces),
      modes.allSatisfy({ PosteriorView(worldFromDevice: here, gaussians: $0.gaussians).direction.cone <= widest })
    else { return nil }
    return modes
  }

  /// The belief as hypotheses; `last` is the newest range.
  func belief(at last: PeerFilter.Range, _ filter: any NavigationFilter) -> PeerFilter {
    switch stage {
    case .searching(let posterior): posterior
    case .tracked(let tracked): tracked.posterior(last: last, filter: filter)
    }
  }

  /// The ranges refute the angles of arrival: from now on `bare`, what they say by themselves, is believed.
  func giveUpAngles(for bare: PeerFilter, filter: any NavigationFilter) {
    replaceFilter(bare, filter: filter)
    aperture.forgetAngles()
  }

  /// The peer itself has said that it moves, or that it stands.
  ///
  /// - Parameter filter: the trajectory; nil where there is none.
  func hear(moves: Bool, filter: (any NavigationFilter)?) {
    reportedMoving = moves
    switch stage {
    case .searching(let posterior):
      if posterior.isMoving != moves { replaceFilter(moves ? posterior.moving : posterior.stationary, filter: filter) }
    case .tracked(let tracked):
      guard moves, let filter, let last = watch.last else { return }
      replaceFilter(tracked.posterior(last: last, filter: filter).moving, filter: filter)
    }
  }

  func replaceFilter(_ posterior: PeerFilter, filter: (any NavigationFilter)?) {
    if case .tracked(let tracked) = stage, let filter { tracked.remove(from: filter) }
    stage = .searching(posterior)
    watch.reset()
    aoaValidity.restart(forgetsTrust: false)
    rival = MotionAlternatives(
      limit: posterior.isMoving ? configuration.stoppedLogOdds : configuration.movingLogOdds, restLimit: configuration.stoppedLogOdds,
      noiseIncreaseLogOdds: configuration.noiseIncreaseLogOdds, share: reportedMoving == false ? 0 : configuration.movingPrior)
  }

  /// Every direction is possible again; `ranges` are what the new hypotheses know, and of the radio what is known.
  func restartSearch(
    filter: any NavigationFilter, with ranges: [ConsistencyMonitor.Unexplained], knowing knowledge: LinkKnowledge? = nil,
    forgetsTrust: Bool = true
  ) {
    var posterior = fresh.knowing(knowledge)
    var doubt = aoaValidity
    doubt.restart(forgetsTrust: forgetsTrust)
    drift = ranges.first?.drift ?? filter.accumulatedDrift
    for (range, then) in ranges {
      let lost = then - drift
      drift = then
      doubt.hear(range, before: posterior)
      posterior.drift(position: lost.position, yawVariance: lost.yaw, device: range.device)
      let outcome = posterior.update(range)
      _ = doubt.weigh(range, logPredictiveDensity: outcome?.logDensity, lost: lost, seconds: 0, others: 0)
    }
    replaceFilter(posterior, filter: filter)
    aoaValidity = doubt
    rangesTaken = ranges.count
    aperture = PathExcitation()
    recordRestart()
  }

  /// Whether the trajectory has jumped by a good part of the distance, or turned by as much: that leaves nothing of a direction. A single gross
  /// range must not make the distance small.
  func isTornAway(by lost: AccumulatedDrift, range: Double, _ filter: any NavigationFilter) -> Bool {
    if lost.yaw > 0.04 { return true }
    guard lost.positionVariance > 0.04 * range * range, case .searching(let posterior) = stage else { return false }
    return lost.positionVariance > 0.04 * posterior.squaredDistance(from: filter)
  }

  /// Gives the peer up as a state of `filter`, which is about to go: where it is must be found anew, its radio stays as it is known.
  func detach(from filter: any NavigationFilter) {
    restartSearch(filter: filter, with: [], knowing: radio(filter: filter), forgetsTrust: false)
  }
}
