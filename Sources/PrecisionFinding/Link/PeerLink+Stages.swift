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

/// Outputs of a link.
extension PeerLink {
  /// Probability that the latest ranges contradict the incumbent, 0...1.
  var contradictionProbability: Double { bank.contradictionProbability }

  /// Probability that the peer is moving, 0...1.
  var movingProbability: Double {
    if case .searching(let posterior) = stage, posterior.isMoving { return 1 - bank.motionProbability }
    return bank.motionProbability
  }

  /// True when the peer's position is part of the filter's state.
  var isTracked: Bool {
    if case .tracked = stage { return true }
    return false
  }

  /// Number of hypotheses alive; of modes when tracked.
  var hypotheses: Int {
    switch stage {
    case .searching(let posterior): posterior.count
    case .tracked(let tracked): tracked.modes.count
    }
  }

  /// LOS probability of the last range.
  var losProbability: Double {
    switch stage {
    case .searching(let posterior): posterior.losProbability
    case .tracked(let tracked): tracked.losProbability
    }
  }

  /// The link's current noise model; nil before the first ranges.
  var noise: RangeNoise? {
    switch stage {
    case .searching(let posterior): posterior.noise
    case .tracked(let tracked): tracked.best.noise
    }
  }

  private var axes: Double { Angle.degrees(configuration.axesUncertaintyDegrees) }

  /// The posterior as seen from the device now; nil before there is one.
  func posteriorView(filter: any NavigationFilter, worldFromDevice: Pose) -> PosteriorView? {
    let seconds = record.lastRange.map { max(filter.time.seconds(since: $0.timestamp), 0) } ?? 0
    var gaussians: [PositionGaussian]
    switch stage {
    case .searching(let posterior):
      guard posterior.hasBegun else { return nil }
      gaussians = posterior.gaussians(after: seconds)
    case .tracked(let tracked): gaussians = tracked.gaussians(filter: filter, origin: worldFromDevice.translation)
    }
    addAlternatives(after: seconds, to: &gaussians)
    return PosteriorView(
      worldFromDevice: worldFromDevice, gaussians: consume gaussians, axesUncertainty: axes,
      contradictionProbability: contradictionProbability,
      lateralAmbiguity: filter.isExternalOdometry ? excitation.lateralAmbiguity : nil,
      verticalAmbiguity: noise.flatMap(excitation.verticalAmbiguity))
  }

  /// Adds the Gaussians of the bank's rows, weighted by their odds.
  private func addAlternatives(after seconds: Double, to gaussians: inout [PositionGaussian]) {
    var isMoving = false
    if case .searching(let posterior) = stage { isMoving = posterior.isMoving }
    let whole = gaussians.reduce(0) { $0 + $1.weight }
    for (posterior, odds) in bank.alternatives(isMoving: isMoving) where odds > Self.negligible {
      let parts = posterior.gaussians(after: seconds)
      gaussians.reserveCapacity(gaussians.count + parts.count)
      for var part in parts {
        part.weight *= odds * whole
        if part.weight > Self.negligibleWeight * whole { gaussians.append(part) }
      }
    }
  }

  /// Alternatives' Gaussians below this weight sum to far less than any probability limit.
  private static let negligibleWeight = 1e-7

  /// Alternatives with lower odds are not added.
  private static let negligible = 1e-5

  /// Covariance of the peer's position in the estimate's world, the device's own included, m^2.
  func worldCovariance(of view: PosteriorView, filter: any NavigationFilter) -> Matrix3 {
    switch stage {
    case .tracked(let tracked) where bank.motionProbability <= Self.negligible:
      return tracked.worldCovariance(filter: filter) + view.ambiguityCovariance + filter.originCovariance
    case .searching, .tracked:
      let position = view.position
      let d = position.mean - filter.worldFromNavigation.translation
      let tangent = Vector3(0, 0, 1).cross(d)
      let width = filter.covariance.size(of: filter.poseBlock)
      let p = filter.covariance.marginal([filter.poseBlock])
      var pose = Matrix3.zero
      for r in 0..<3 {
        for c in 0..<3 {
          pose[r, c] =
            p[(3 + r) * width + 3 + c] + tangent[r] * p[2 * width + 3 + c] + p[(3 + r) * width + 2] * tangent[c]
            + tangent[r] * p[2 * width + 2] * tangent[c]
        }
      }
      return position.covariance + pose + filter.originCovariance
    }
  }
}
