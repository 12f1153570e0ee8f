import Estimator
import Foundation
import Geometry
import Ranging

/// Transitions between the stages of a link.
extension PeerLink {
  /// hand-over: the peer's position becomes states of the filter (delayed augmentation).
  ///
  /// Augments the filter once one narrow mode is left, or few: then its linearisation holds at each mode, if the
  /// trajectory is not lost.
  func augmentFilter(filter: any NavigationFilter) {
    guard case .searching(let posterior) = stage, posterior.hasBegun, !posterior.isMoving,
      rangesTaken >= configuration.handOverRanges, !filter.isTrajectoryLost,
      // Rounding is no noise that the filter's covariance could hold.
      duplicateDetectors.values.allSatisfy { $0.resolution.variance == 0 },
      // Ranges to a mode from inconsistent AoA would bend the path towards it.
      bank.aoaProbability <= configuration.maxProbabilityBeyondPositionLimit, !bank.isMotionOpen
    else {
      return
    }
    // Rarely passed: directions over half a radian apart are neither a narrow cone nor a lasting ambiguity.
    guard posterior.meanResultantLength > cos(0.5), let narrowModes = narrowModes(posterior, filter: filter),
      let tracked = TrackedModes(
        narrowModes, of: posterior, filter: filter, configuration: configuration.ranging, antennas: antennas)
    else {
      return
    }
    if let noise { excitation.endSearch(posterior.gaussians, noise: noise) }
    stage = .tracked(tracked)
  }

  /// Most modes of a tracked peer: two vertical positions, in two directions or with something between them.
  private static let maximumModes = 4

  /// The modes that are left, as seen from the device; nil where they are too many, or one is too wide.
  private func narrowModes(_ posterior: PeerFilter, filter: any NavigationFilter) -> [PeerFilter.Mode]? {
    let here = Pose(rotation: .identity, translation: filter.worldFromBody.translation)
    let widest = Angle.degrees(configuration.handOverConeDegrees)
    let whole = PosteriorView(worldFromDevice: here, gaussians: posterior.gaussians)
    let (mean, cone) = whole.direction
    if cone <= widest {
      let limit = cos(Angle.degrees(20))
      let probabilityElsewhere = whole.gaussians.reduce(0.0) { sum, g in
        sum + ((g.position - here.translation).normalized.dot(mean) < limit ? g.weight : 0)
      }
      return probabilityElsewhere < 1e-4 ? posterior.merged.map { [$0] } : nil
    }
    guard let modes = posterior.modes(from: here.translation, within: widest, most: Self.maximumModes),
      modes.allSatisfy({ PosteriorView(worldFromDevice: here, gaussians: $0.gaussians).direction.cone <= widest })
    else { return nil }
    return modes
  }

  /// The posterior as a Gaussian-sum filter; `last` is the newest range.
  func currentFilter(at last: PeerFilter.Range, _ filter: any NavigationFilter) -> PeerFilter {
    switch stage {
    case .searching(let posterior): posterior
    case .tracked(let tracked): tracked.posterior(last: last, filter: filter)
    }
  }

  /// Whether the posterior has one direction.
  var isDirectionKnown: Bool {
    guard case .searching(let posterior) = stage else { return true }
    return posterior.hasBegun && posterior.meanResultantLength > cos(0.5)
  }

  /// The filter that the bank's rows are compared with; `last` is the newest range. Nil where there are no rows:
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

  /// A row of the bank replaces the incumbent. The time of a stop is known less well than the fact, so a stationary
  /// row's updates since then are not used. A motion started when its row did.
  func promote(_ kind: ModelBank.Kind, _ posterior: PeerFilter, filter: any NavigationFilter) {
    if kind == .stopped, case .searching(let incumbent) = stage {
      replaceFilter(incumbent.stationary, filter: filter)
      if !isDirectionKnown { bank.seed(with: incumbent) }
    } else {
      replaceFilter(posterior, filter: filter)
      if kind == .withoutAoA { excitation.forgetAoA() }
    }
  }

  /// Accepts an increase of the radio's noise.
  func enlargeNoise() {
    switch stage {
    case .searching(let posterior): stage = .searching(posterior.withLargerNoise ?? posterior)
    case .tracked(let tracked): stage = .tracked(tracked.withLargerNoise)
    }
    bank.forgetContradiction()
    bank.forgetMotions()
  }

  /// Sets the motion that the peer itself reported.
  ///
  /// - Parameter filter: the trajectory; nil where there is none.
  func setReportedMotion(_ isMoving: Bool, filter: (any NavigationFilter)?) {
    reportedMoving = isMoving
    switch stage {
    case .searching(let posterior):
      if posterior.isMoving != isMoving {
        replaceFilter(isMoving ? posterior.moving : posterior.stationary, filter: filter)
      }
    case .tracked(let tracked):
      guard isMoving, let filter, let last = bank.last else { return }
      replaceFilter(tracked.posterior(last: last, filter: filter).moving, filter: filter)
    }
  }

  func replaceFilter(_ posterior: PeerFilter, filter: (any NavigationFilter)?) {
    if case .tracked(let tracked) = stage, let filter { tracked.remove(from: filter) }
    stage = .searching(posterior)
    bank.restart(movingPrior: reportedMoving == false ? 0 : configuration.movingPrior)
  }

  /// Restarts the search over all directions with `ranges` and the known parameters of the radio.
  func restartSearch(
    filter: any NavigationFilter, with ranges: [ModelBank.Unexplained], knowing knowledge: LinkKnowledge? = nil,
    forgetsTrust: Bool = true
  ) {
    var posterior = newFilter.withLinkKnowledge(knowledge)
    replaceFilter(posterior, filter: filter)
    bank.restartAoA(forgetsTrust: forgetsTrust)
    drift = ranges.first?.drift ?? filter.accumulatedDrift
    for (unexplained, then) in ranges {
      var range = unexplained
      range.pose = range.pose.map { PoseVisit(path: $0.path) }
      let lost = then - drift
      drift = then
      bank.observeAoA(range, before: posterior)
      posterior.drift(position: lost.position, yawVariance: lost.yaw, device: range.device)
      let outcome = posterior.update(range)
      bank.updateWithoutAoA(range, logPredictiveDensity: outcome?.logDensity, lost: lost, seconds: 0)
    }
    stage = .searching(posterior)
    rangesTaken = ranges.count
    excitation = PathExcitation()
    poses = PoseHistory()
    recordRestart()
  }

  /// Whether the trajectory jumped by a good part of the distance, or rotated by as much: no direction survives that. A
  /// single outlying range must not make the distance small.
  func isTrajectoryJump(by lost: AccumulatedDrift, range: Double, _ filter: any NavigationFilter) -> Bool {
    if lost.yaw > 0.04 { return true }
    guard lost.positionVariance > 0.04 * range * range, case .searching(let posterior) = stage else { return false }
    return lost.positionVariance > 0.04 * posterior.squaredDistance(from: filter)
  }

  /// Removes the peer from `filter`, which is about to be dropped: the search restarts, the radio's parameters stay.
  func detach(from filter: any NavigationFilter) {
    restartSearch(filter: filter, with: [], knowing: radio(filter: filter), forgetsTrust: false)
  }
}
