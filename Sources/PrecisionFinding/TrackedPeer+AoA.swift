import Estimator
import Foundation
import Geometry
import LeastSquares
import Ranging

/// Angles of arrival (AoA) of a tracked peer.
extension TrackedPeer {
  /// Weight of an AoA that came with the last range; call before its update.
  package mutating func aoaWeight(
    of measured: [DirectionCosine], antenna: Vector3, filter: any NavigationFilter
  ) -> AoAWeight {
    guard !measured.isEmpty else { return .none }
    let independence = lastAoA.map { aoaErrors.weight(after: lastRange.seconds(since: $0)) } ?? 1
    lastAoA = lastRange
    aoaErrors.record(
      measured.map { ($0.cosine - model($0, antenna, filter).cosine) / $0.variance.squareRoot() }, at: lastRange)
    return isNLOS ? .none : aoaBias.weight(of: measured, independence: independence)
  }

  /// Log predictive density of the AoA, tempered by its weight.
  package func logDensity(
    of measured: [DirectionCosine], aoaWeight: AoAWeight, antenna: Vector3, filter: any NavigationFilter
  ) -> Double {
    guard aoaWeight.unbiased > 0 else { return 0 }
    return measured.reduce(0) { sum, cosine in
      guard let row = row(of: cosine, aoaWeight: aoaWeight, antenna: antenna, filter: filter) else { return sum }
      let logLikelihoodBeyondBias = aoaWeight.logLikelihoodBeyondBias(
        Lanes(repeating: row.residual), spread: Lanes(repeating: row.spread),
        noise: Lanes(repeating: row.slope * row.slope * cosine.variance),
        slope: Lanes(repeating: row.slope),
        outlierProbability: Lanes(repeating: configuration.aoaOutlierProbability))[0]
      return sum
        + aoaWeight.measurement * log(max(row.regular + 0.5 * configuration.aoaOutlierProbability, 1e-300))
        + logLikelihoodBeyondBias
    }
  }

  /// Updates by the direction cosines of an AoA.
  ///
  /// - Parameter weight: as for ranges.
  package mutating func update(
    _ measured: [DirectionCosine], aoaWeight: AoAWeight, antenna: Vector3, filter: any NavigationFilter,
    weight: Double = 1
  ) {
    guard aoaWeight.measurement > 0 else { return }
    for cosine in measured {
      guard let row = row(of: cosine, aoaWeight: aoaWeight, antenna: antenna, filter: filter) else { continue }
      let responsibility = row.regular / max(row.regular + 0.5 * configuration.aoaOutlierProbability, 1e-300)
      guard responsibility > 0.02 else { continue }
      let result = filter.covariance.update(
        jacobian: row.jacobian, residual: row.residual, noise: row.noise / responsibility, probability: weight,
        own: block)
      if case .accepted(_, let correction) = result { filter.apply(correction) }
    }
  }

  private func model(
    _ measured: DirectionCosine, _ antenna: Vector3, _ filter: any NavigationFilter
  ) -> DirectionCosineModel {
    let state = filter.vector(block)
    let peer = Vector3(state[0], state[1], state[2])
    return DirectionCosineModel(
      axis: measured.axis(towards: peer - filter.worldFromNavigation * antenna), peer: peer,
      worldFromNavigation: filter.worldFromNavigation, antenna: antenna)
  }

  /// Residual, variance and Jacobian of one direction cosine, and the inlier density, 1/1; nil where the peer is too
  /// near.
  private func row(
    of measured: DirectionCosine, aoaWeight: AoAWeight, antenna: Vector3, filter: any NavigationFilter
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
    let (residual, noise) = (
      measured.cosine - model.cosine, slope * slope * measured.variance / max(aoaWeight.measurement, 1e-9)
    )
    let spread = Self.variance(jacobian, in: filter.covariance)
    let regular =
      (1 - configuration.aoaOutlierProbability) * slope * NormalDistribution.density(residual, variance: spread + noise)
    return (residual, noise, slope, spread, jacobian, regular)
  }
}
