import Geometry
import SensorData

/// Tells the filter that the device stands still: it has no velocity, and it is where and as it was when the rest began.
///
/// The pose at the beginning of the rest is part of the state, so that its own error is not taken for new knowledge, and
/// neither position nor heading can walk away while the rest lasts. That nothing turns is told by the pose and not by the
/// gyroscope's reading, whose noise has already carried the state here; its bias follows from the two.
///
/// With `a` the kept rotation vector, `R_a = Exp(a) R_ref` (R_ref a constant: the estimate at the beginning) and `p_a` the
/// kept position, the residual is `(-v, Log(R_a R^T), p_a - p)`, and for small `a` its Jacobian over (theta, p, v) and
/// (a, p_a) consists of identities.
package struct ZeroVelocityUpdate {
  /// 1-sigma of the velocity of a device judged still, m/s.
  static let velocitySigma = 0.01
  /// How far what stands may sink or shake, 1-sigma: metres and radians.
  static let positionSigma = 0.001
  package static let rotationSigma = 0.0003

  private struct Anchor {
    var block: ErrorCovariance.Block
    /// `R_ref`.
    var reference: Rotation
  }
  private var anchor: Anchor?

  /// Whether the device rests: `apply` was last called with success.
  var isOn: Bool { anchor != nil }

  /// Updates a filter that stands at a moment of rest; the first one keeps the pose.
  ///
  /// - Parameter rotationSigma: how far what stands may have turned by now, 1-sigma, radians. A hand's slow turn that is too little for the
  ///   witnesses to see would otherwise be taken for the gyroscope's bias.
  /// - Returns: false when the state contradicts rest at 1e-4, or the update is not possible; the rest has then ended.
  mutating func apply(to filter: InertialNavigation, rotationSigma: Double = rotationSigma) -> Bool {
    let width = filter.covariance.size(of: filter.poseBlock)
    let rows = anchor == nil ? 3 : 9
    var state = [Double](repeating: 0, count: rows * width)
    for i in 0..<3 { state[i * width + 6 + i] = 1 }
    let v = filter.state.velocity
    var residual = [-v.x, -v.y, -v.z]
    var noise = [Double](repeating: Self.velocitySigma * Self.velocitySigma, count: 3)
    var jacobian: [(ErrorCovariance.Block, [Double])] = []
    if let anchor {
      var kept = [Double](repeating: 0, count: rows * 6)
      for i in 0..<6 {
        state[(3 + i) * width + i] = 1
        kept[(3 + i) * 6 + i] = -1
      }
      jacobian.append((anchor.block, kept))
      residual += Self.residual(
        kept: filter.vector(anchor.block), reference: anchor.reference, now: filter.worldFromNavigation)
      noise += [Double](repeating: rotationSigma * rotationSigma, count: 3)
      noise += [Double](repeating: Self.positionSigma * Self.positionSigma, count: 3)
    }
    jacobian.append((filter.poseBlock, state))
    let result = filter.covariance.update(
      jacobian: jacobian, residual: residual, noise: noise, gate: ChiSquaredQuantile.quantile9999(rows))
    guard case .accepted(_, let correction) = result else {
      end(filter)
      return false
    }
    filter.apply(correction)
    if anchor == nil { keep(filter) }
    return true
  }

  /// Forgets the kept pose: the device moves.
  mutating func end(_ filter: InertialNavigation) {
    if let anchor { filter.removeVector(anchor.block) }
    anchor = nil
  }

  /// Forgets the kept pose without touching a filter that is gone.
  mutating func reset() { anchor = nil }

  private mutating func keep(_ filter: InertialNavigation) {
    let width = filter.covariance.size(of: filter.poseBlock)
    var copy = [Double](repeating: 0, count: 6 * width)
    for i in 0..<6 { copy[i * width + i] = 1 }
    let now = filter.worldFromNavigation, p = now.translation
    anchor = filter.augment([0, 0, 0, p.x, p.y, p.z], jacobian: [(filter.poseBlock, copy)], independent: []).map {
      Anchor(block: $0, reference: now.rotation)
    }
  }

  /// `(Log(Exp(a) R_ref R^T), p_a - p)` for the kept vector `(a, p_a)`.
  package static func residual(kept: [Double], reference: Rotation, now: Pose) -> [Double] {
    let then = Rotation.exp(Vector3(kept[0], kept[1], kept[2])) * reference
    let turn = (then * now.rotation.inverse).log
    let way = Vector3(kept[3], kept[4], kept[5]) - now.translation
    return [turn.x, turn.y, turn.z, way.x, way.y, way.z]
  }
}
