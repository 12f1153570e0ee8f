import Geometry
import LeastSquares
import SensorData

/// Zero-velocity update (ZUPT) of a stationary device: velocity is zero, and the pose is the one at the start of
/// standstill.
///
/// The pose at the start of standstill is an augmented state (stochastic cloning). Its error therefore adds no
/// information, and neither position nor heading drifts during standstill. The absence of rotation is a measurement of
/// the pose, not of the angular rate: the gyroscope's noise has already entered the propagated state. The gyroscope
/// bias follows by correlation.
///
/// With `a` the cloned rotation vector, `R_a = Exp(a) R_ref` (R_ref a constant: the estimate at the start) and `p_a`
/// the cloned position, the residual is `(-v, Log(R_a R^T), p_a - p)`. For small `a` its Jacobian over (theta, p, v)
/// and (a, p_a) consists of identities.
package struct ZeroVelocityUpdate {
  /// 1-sigma of the velocity of a stationary device, m/s.
  static let velocitySigma = 0.01
  /// Residual motion of a stationary device, 1-sigma: metres and radians.
  static let positionSigma = 0.001
  package static let rotationSigma = 0.0003

  private struct Anchor {
    var block: ErrorCovariance.Block
    /// `R_ref`.
    var reference: Rotation
  }
  private var anchor: Anchor?

  /// Whether the device is stationary: the last `apply` succeeded.
  var isActive: Bool { anchor != nil }

  /// Updates a filter at a moment of standstill; the first call clones the pose.
  ///
  /// - Parameter rotationSigma: 1-sigma of an undetected rotation so far, radians. Otherwise a hand's slow rotation,
  ///   too small to detect, would be taken for the gyroscope bias.
  /// - Returns: false when the state contradicts standstill at 1e-4, or the update fails; standstill has then ended.
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
      jacobian: jacobian, residual: residual, noise: noise, gate: ChiSquared.gate9999(rows))
    guard case .accepted(_, let correction) = result else {
      end(filter)
      return false
    }
    filter.apply(correction)
    if anchor == nil { keep(filter) }
    return true
  }

  /// Removes the cloned pose: the device moves.
  mutating func end(_ filter: InertialNavigation) {
    if let anchor { filter.removeVector(anchor.block) }
    anchor = nil
  }

  private mutating func keep(_ filter: InertialNavigation) {
    let width = filter.covariance.size(of: filter.poseBlock)
    var copy = [Double](repeating: 0, count: 6 * width)
    for i in 0..<6 { copy[i * width + i] = 1 }
    let now = filter.worldFromNavigation, p = now.translation
    anchor = filter.augment([0, 0, 0, p.x, p.y, p.z], jacobian: [(filter.poseBlock, copy)], independent: []).map {
      Anchor(block: $0, reference: now.rotation)
    }
  }

  /// `(Log(Exp(a) R_ref R^T), p_a - p)` for the cloned vector `(a, p_a)`.
  package static func residual(kept: [Double], reference: Rotation, now: Pose) -> [Double] {
    let then = Rotation.exp(Vector3(kept[0], kept[1], kept[2])) * reference
    let rotationResidual = (then * now.rotation.inverse).log
    let displacement = Vector3(kept[3], kept[4], kept[5]) - now.translation
    return [rotationResidual.x, rotationResidual.y, rotationResidual.z, displacement.x, displacement.y, displacement.z]
  }
}
