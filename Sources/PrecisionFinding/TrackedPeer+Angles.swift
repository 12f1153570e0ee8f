import Estimator
import Geometry
import Ranging

/// Angles of arrival of a tracked peer.
extension TrackedPeer {
  /// The update by the cosines of an angle of arrival that came with the last range.
  package mutating func update(_ measured: [AxisCosine], antenna: Vector3, filter: any NavigationFilter) {
    guard !measured.isEmpty else { return }
    let seconds = lastAngle.map { lastRange.seconds(since: $0) }
    let worth = seconds.map { angles.worth(after: $0) } ?? 1
    lastAngle = lastRange
    angles.note(
      measured.map { ($0.cosine - model($0, antenna, filter).cosine) / $0.variance.squareRoot() }, at: lastRange)
    guard worth > 0, !isBlocked else { return }
    for cosine in measured { update(cosine, worth: worth, antenna: antenna, filter: filter) }
  }

  private func model(_ measured: AxisCosine, _ antenna: Vector3, _ filter: any NavigationFilter) -> AxisCosineModel {
    let state = filter.vector(block)
    return AxisCosineModel(
      axis: measured.axis, peer: Vector3(state[0], state[1], state[2]),
      worldFromNavigation: filter.worldFromNavigation, antenna: antenna)
  }

  private func update(_ measured: AxisCosine, worth: Double, antenna: Vector3, filter: any NavigationFilter) {
    let model = model(measured, antenna, filter)
    guard model.distance > 0.3 else { return }
    var pose = [Double](repeating: 0, count: filter.covariance.size(of: filter.poseBlock))
    var peer = [Double](repeating: 0, count: layout.dimension)
    for k in 0..<3 {
      (pose[k], pose[3 + k], peer[k]) = (model.rotationJacobian[k], model.positionJacobian[k], model.peerJacobian[k])
    }
    let row = [(filter.poseBlock, pose), (block, peer)]
    let (residual, noise) = (measured.cosine - model.cosine, measured.variance / worth)
    let strange = configuration.strangeAngleShare
    let regular = (1 - strange) * RangeLikelihood.normal(residual, Self.variance(row, in: filter.covariance) + noise)
    let responsibility = regular / (regular + 0.5 * strange + 1e-300)
    guard responsibility > 0.02 else { return }
    let result = filter.covariance.update(
      jacobian: row, residual: [residual], noise: [noise / responsibility], gate: nil)
    if case .accepted(_, let correction) = result { filter.apply(correction) }
  }
}
