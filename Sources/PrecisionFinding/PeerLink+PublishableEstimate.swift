import Estimator
import Foundation
import Geometry
import Ranging

/// What is read off a link.
extension PeerLink {
  /// Probability that what is believed is wrong, by what the latest ranges say against it, 0...1.
  var doubt: Double { watch.doubt }

  /// Probability that the peer isMoving, 0...1.
  var movingProbability: Double {
    if case .searching(let posterior) = stage, posterior.isMoving { return 1 - rival.probability }
    return rival.probability
  }

  /// True when the peer's places are states of the filter.
  var isTracked: Bool {
    if case .tracked = stage { return true }
    return false
  }

  /// Number of hypotheses alive; of places when tracked.
  var hypotheses: Int {
    switch stage {
    case .searching(let posterior): posterior.count
    case .tracked(let tracked): tracked.modes.count
    }
  }

  /// Probability that the last range's sight was free.
  var free: Double {
    switch stage {
    case .searching(let posterior): posterior.free
    case .tracked(let tracked): tracked.free
    }
  }

  /// The link's noise as it is seen now; nil before the first ranges.
  var noise: RangeNoise? {
    switch stage {
    case .searching(let posterior): posterior.noise
    case .tracked(let tracked): tracked.best.noise
    }
  }

  private var axes: Double { Angle.degrees(configuration.axesUncertaintyDegrees) }

  /// What is believed of the peer as seen from the device now; nil before there is anything.
  func belief(filter: any NavigationFilter, worldFromDevice: Pose) -> PosteriorView? {
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
      worldFromDevice: worldFromDevice, gaussians: consume gaussians, axesUncertainty: axes, doubt: doubt,
      lateralAmbiguity: filter.isExternalOdometry ? aperture.lateralAmbiguity : nil, mirror: noise.flatMap(aperture.mirror))
  }

  /// Adds where the peer is if it has begun to walk, or has walked, or if its angles of arrival mislead, in weights beside those of the belief.
  private func addAlternatives(after seconds: Double, to belief: inout [PositionGaussian]) {
    var alternatives = aoaValidity.alternative.map { [$0] } ?? []
    var isMoving = false
    if case .searching(let posterior) = stage { isMoving = posterior.isMoving }
    if !isMoving { alternatives += rival.alternatives }
    let whole = belief.reduce(0) { $0 + $1.weight }
    for (posterior, odds) in alternatives where odds > Self.negligible {
      let parts = posterior.gaussians(after: seconds)
      belief.reserveCapacity(belief.count + parts.count)
      for var part in parts {
        part.weight *= odds * whole
        if part.weight > Self.least * whole { belief.append(part) }
      }
    }
  }

  /// What all alternatives' Gaussians of lesser weight say together is far below any share that is asked for.
  private static let least = 1e-7

  /// A rival that is less probable than this says nothing.
  private static let negligible = 1e-5

  /// What the device's own uncertainty adds to the peer's position in the estimate's world.
  func worldCovariance(of belief: PosteriorView, filter: any NavigationFilter) -> Matrix3 {
    switch stage {
    case .tracked(let tracked) where rival.probability <= Self.negligible:
      return tracked.worldCovariance(filter: filter) + belief.mirrorSpread + filter.originCovariance
    case .searching, .tracked:
      let position = belief.position
      let d = position.mean - filter.worldFromNavigation.translation
      let turn = Vector3(0, 0, 1).cross(d)
      let width = filter.covariance.size(of: filter.poseBlock)
      let p = filter.covariance.marginal([filter.poseBlock])
      var pose = Matrix3.zero
      for r in 0..<3 {
        for c in 0..<3 {
          pose[r, c] =
            p[(3 + r) * width + 3 + c] + turn[r] * p[2 * width + 3 + c] + p[(3 + r) * width + 2] * turn[c]
            + turn[r] * p[2 * width + 2] * turn[c]
        }
      }
      return position.covariance + pose + filter.originCovariance
    }
  }
}
