import Estimator
import Foundation
import Geometry
import Ranging

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
