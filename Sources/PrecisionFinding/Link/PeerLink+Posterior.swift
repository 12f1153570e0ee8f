import Estimator
import Foundation
import Geometry
import Ranging

/// Replacement of a link's incumbent.
extension PeerLink {
  /// Whether the posterior has one direction.
  var isDirectionKnown: Bool { posterior.hasBegun && posterior.meanResultantLength > cos(0.5) }

  /// The filter that the bank's rows are compared with; `last` is the newest range. Nil where there are no rows:
  /// there are no hypotheses yet, or the peer has reported that it is moving.
  func incumbent(_ last: PeerFilter.Range) -> PeerFilter? {
    guard posterior.hasBegun, !(posterior.isMoving && reportedMoving == true) else { return nil }
    // Many hypotheses of one mode cost more than the one Gaussian that represents it.
    return posterior.isMoving || posterior.count <= Self.fewHypotheses || !isDirectionKnown
      ? posterior : posterior.condensed(at: last)
  }

  private static let fewHypotheses = 60

  /// A row of the bank replaces the incumbent. The time of a stop is known less well than the fact, so a stationary
  /// row's updates since then are not used. A motion started when its row did.
  func promote(_ kind: ModelBank.Kind, _ row: PeerFilter) {
    if kind == .stopped {
      let incumbent = posterior
      replaceFilter(incumbent.stationary)
      if !isDirectionKnown { bank.seed(with: incumbent) }
    } else {
      replaceFilter(row)
      if kind == .withoutAoA { excitation.forgetAoA() }
    }
  }

  /// Accepts an increase of the radio's noise.
  func enlargeNoise() {
    posterior = posterior.withLargerNoise ?? posterior
    bank.forgetContradiction()
    bank.forgetMotions()
  }

  /// Sets the motion that the peer itself reported.
  func setReportedMotion(_ isMoving: Bool) {
    reportedMoving = isMoving
    if posterior.isMoving != isMoving { replaceFilter(isMoving ? posterior.moving : posterior.stationary) }
  }

  func replaceFilter(_ posterior: PeerFilter) {
    self.posterior = posterior
    bank.restart(movingPrior: reportedMoving == false ? 0 : configuration.movingPrior)
  }

  /// Restarts the search over all directions with `ranges` and the known parameters of the radio.
  func restartSearch(
    filter: any NavigationFilter, with ranges: [ModelBank.Unexplained], knowing knowledge: LinkKnowledge? = nil,
    forgetsTrust: Bool = true
  ) {
    var posterior = newFilter.withLinkKnowledge(knowledge)
    replaceFilter(posterior)
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
    self.posterior = posterior
    rangesTaken = ranges.count
    excitation = PathExcitation()
    poses = PoseHistory()
    recordRestart()
  }

  /// Whether the trajectory jumped by a good part of the distance, or rotated by as much: no direction survives that. A
  /// single outlying range must not make the distance small.
  func isTrajectoryJump(by lost: AccumulatedDrift, range: Double, _ filter: any NavigationFilter) -> Bool {
    if lost.yaw > 0.04 { return true }
    return lost.positionVariance > 0.04 * range * range
      && lost.positionVariance > 0.04 * posterior.squaredDistance(from: filter)
  }

  /// Restarts the search where the trajectory that it was on is no more: the radio's parameters stay.
  func detach(from filter: any NavigationFilter) {
    restartSearch(filter: filter, with: [], knowing: radio, forgetsTrust: false)
  }
}

/// Outputs of a link.
extension PeerLink {
  /// Probability that the latest ranges contradict the incumbent, 0...1.
  var contradictionProbability: Double { bank.contradictionProbability }

  /// Probability that the peer is moving, 0...1.
  var movingProbability: Double { posterior.isMoving ? 1 - bank.motionProbability : bank.motionProbability }

  /// Number of hypotheses alive.
  var hypotheses: Int { posterior.count }

  /// LOS probability of the last range.
  var losProbability: Double { posterior.losProbability }

  /// The link's current noise model; nil before the first ranges.
  var noise: RangeNoise? { posterior.noise }

  private var axes: Double { Angle.degrees(configuration.axesUncertaintyDegrees) }

  /// The posterior as seen from the device now; nil before there is one.
  func posteriorView(filter: any NavigationFilter, worldFromDevice: Pose) -> PosteriorView? {
    let seconds = record.lastRange.map { max(filter.time.seconds(since: $0.timestamp), 0) } ?? 0
    guard posterior.hasBegun else { return nil }
    var gaussians = posterior.gaussians(after: seconds)
    addAlternatives(after: seconds, to: &gaussians)
    return PosteriorView(
      worldFromDevice: worldFromDevice, gaussians: consume gaussians, axesUncertainty: axes,
      contradictionProbability: contradictionProbability,
      lateralAmbiguity: filter.isExternalOdometry ? excitation.lateralAmbiguity : nil,
      verticalAmbiguity: noise.flatMap(excitation.verticalAmbiguity))
  }

  /// Adds the Gaussians of the bank's rows, weighted by their odds.
  private func addAlternatives(after seconds: Double, to gaussians: inout [PositionGaussian]) {
    let whole = gaussians.reduce(0) { $0 + $1.weight }
    for (posterior, odds) in bank.alternatives(isMoving: self.posterior.isMoving) where odds > Self.negligible {
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
