import Estimator
import Foundation
import Geometry
import Ranging

/// Angles of arrival of a tracked peer.
extension TrackedPeer {
  /// Before the update by an angle of arrival that came with the last range: what it counts for.
  package mutating func worth(of measured: [DirectionCosine], antenna: Vector3, filter: any NavigationFilter) -> AoAWeight {
    guard !measured.isEmpty else { return .none }
    let alike = lastAngle.map { angles.worth(after: lastRange.seconds(since: $0)) } ?? 1
    lastAngle = lastRange
    angles.note(
      measured.map { ($0.cosine - model($0, antenna, filter).cosine) / $0.variance.squareRoot() }, at: lastRange)
    return isBlocked ? .none : angleOffset.worth(of: measured, alike: alike)
  }

  /// Logarithm of how well it was logPredictiveDensity, to the power of its worth.
  package func logDensity(
    of measured: [DirectionCosine], worth: AoAWeight, antenna: Vector3, filter: any NavigationFilter
  ) -> Double {
    guard worth.own > 0 else { return 0 }
    return measured.reduce(0) { sum, cosine in
      guard let row = row(of: cosine, worth: worth, antenna: antenna, filter: filter) else { return sum }
      let unexcused = worth.unexcused(
        Lanes(repeating: row.residual), spread: Lanes(repeating: row.spread),
        noise: Lanes(repeating: row.slope * row.slope * cosine.variance),
        slope: Lanes(repeating: row.slope), strange: Lanes(repeating: configuration.aoaOutlierProbability))[0]
      return sum + worth.told * log(max(row.regular + 0.5 * configuration.aoaOutlierProbability, 1e-300)) + unexcused
    }
  }

  /// The update by its cosines.
  ///
  /// - Parameter share: as for ranges.
  package mutating func update(
    _ measured: [DirectionCosine], worth: AoAWeight, antenna: Vector3, filter: any NavigationFilter, share: Double = 1
  ) {
    guard worth.told > 0 else { return }
    for cosine in measured {
      guard let row = row(of: cosine, worth: worth, antenna: antenna, filter: filter) else { continue }
      let responsibility = row.regular / max(row.regular + 0.5 * configuration.aoaOutlierProbability, 1e-300)
      guard responsibility > 0.02 else { continue }
      let result = filter.covariance.update(
        jacobian: row.jacobian, residual: row.residual, noise: row.noise / responsibility, share: share, own: block)
      if case .accepted(_, let correction) = result { filter.apply(correction) }
    }
  }

  private func model(_ measured: DirectionCosine, _ antenna: Vector3, _ filter: any NavigationFilter) -> DirectionCosineModel {
    let state = filter.vector(block)
    let peer = Vector3(state[0], state[1], state[2])
    return DirectionCosineModel(
      axis: measured.axis(towards: peer - filter.worldFromNavigation * antenna), peer: peer,
      worldFromNavigation: filter.worldFromNavigation, antenna: antenna)
  }

  /// One cosine's residual, variance and Jacobian, and the density of a regular angle, 1/1; nil where the peer is too near.
  private func row(
    of measured: DirectionCosine, worth: AoAWeight, antenna: Vector3, filter: any NavigationFilter
  ) -> (
    residual: Double, noise: Double, slope: Double, spread: Double, jacobian: [(ErrorCovariance.Block, [Double])],
    regular: Double
  )? {
    let model = model(measured, antenna, filter)
    guard model.distance > 0.3 else { return nil }
    var pose = [Double](repeating: 0, count: filter.covariance.size(of: filter.poseBlock))
    var peer = [Double](repeating: 0, count: layout.dimension)
    for k in 0..<3 {
      (pose[k], pose[3 + k], peer[k]) = (model.rotationJacobian[k], model.positionJacobian[k], model.peerJacobian[k])
    }
    let jacobian = [(filter.poseBlock, pose), (block, peer)]
    let state = filter.vector(block)
    let slope = measured.slope(
      towards: Vector3(state[0], state[1], state[2]) - filter.worldFromNavigation * antenna)
    let (residual, noise) = (measured.cosine - model.cosine, slope * slope * measured.variance / max(worth.told, 1e-9))
    let spread = Self.variance(jacobian, in: filter.covariance)
    let regular = (1 - configuration.aoaOutlierProbability) * slope * RangeLikelihood.normal(residual, spread + noise)
    return (residual, noise, slope, spread, jacobian, regular)
  }
}
