import Estimator
import Foundation
import Geometry
import Ranging
import SensorData

/// Steps of the range update.
extension TrackedPeer {
  /// Time update of the Gauss-Markov biases.
  func predict(seconds: Double, metres: Double, pose: PoseVisit, filter: any NavigationFilter) {
    guard seconds > 0 else { return }
    var state = filter.vector(block)
    let phi = noise.memory(after: seconds, metres: metres, path: pose.path)
    var decay = [Double](repeating: 1, count: state.count)
    var variance = [Double](repeating: 0, count: state.count)
    for k in 0..<3 { variance[k] = configuration.peerRandomWalk * configuration.peerRandomWalk * seconds }
    if isNLOS { variance[layout.nlosBias] = configuration.nlosRandomWalk * configuration.nlosRandomWalk * seconds }
    let fresh = noise.coloured * noise.coloured * (1 - phi * phi) + noise.renewal(after: pose.revisits)
    for k in layout.coloured {
      state[k] *= phi
      decay[k] = phi
      variance[k] = (1 - configuration.antennaCorrelation) * fresh
    }
    filter.setVector(block, to: state)
    filter.covariance.addNoise(
      block, decay: decay, variance: variance, common: (layout.coloured, configuration.antennaCorrelation * fresh))
  }

  /// The range minus its LOS prediction, metres, with its Jacobian; nil so near that the direction rotates faster than
  /// the linearisation holds.
  func row(
    of range: RangeMeasurement, antenna: Vector3, filter: any NavigationFilter
  ) -> (residual: Double, jacobian: [(ErrorCovariance.Block, [Double])])? {
    let state = filter.vector(block)
    // The vertical component is linearised at its current value: its slope in the range changes with it, and it has no
    // part in the unobservable heading.
    var first = filter.firstVector(block)
    first[2] = state[2]
    func model(_ state: [Double], _ worldFromNavigation: Pose) -> RangeModel {
      RangeModel(
        peer: Vector3(state[0], state[1], state[2]), worldFromNavigation: worldFromNavigation, antenna: antenna)
    }
    let present = model(state, filter.worldFromNavigation)
    guard present.distance > 0.3 else { return nil }
    let columns = layout.columns(of: range.antenna)
    let predicted = present.predicted(
      scale: state[layout.scale], bias: state[layout.bias], coloured: state[columns.coloured],
      antennaBias: columns.constant.map { state[$0] } ?? 0)
    let linearised = model(first, filter.firstWorldFromNavigation)
    return (
      range.range - predicted, jacobian(linearised, scale: 1 + first[layout.scale], columns, filter: filter)
    )
  }

  private func jacobian(
    _ model: RangeModel, scale: Double, _ columns: BiasColumns, filter: any NavigationFilter
  ) -> [(ErrorCovariance.Block, [Double])] {
    var pose = [Double](repeating: 0, count: filter.covariance.size(of: filter.poseBlock))
    for k in 0..<3 {
      pose[k] = scale * model.rotationJacobian[k]
      pose[3 + k] = scale * model.positionJacobian[k]
    }
    var peer = [Double](repeating: 0, count: layout.dimension)
    for k in 0..<3 { peer[k] = scale * model.peerJacobian[k] }
    peer[layout.bias] = 1
    peer[layout.scale] = model.distance
    peer[columns.coloured] = 1
    if let constant = columns.constant { peer[constant] = 1 }
    peer[layout.nlosBias] = 1
    return [(filter.poseBlock, pose), (block, peer)]
  }

  static func variance(_ row: [(ErrorCovariance.Block, [Double])], in covariance: ErrorCovariance) -> Double {
    let p = covariance.marginal(row.map(\.0))
    let h = row.flatMap(\.1)
    var sum = 0.0
    for i in h.indices where h[i] != 0 { for j in h.indices { sum += h[i] * p[i * h.count + j] * h[j] } }
    return max(sum, 0)
  }
}
