import Geometry
import Inertial

/// Tells the filter that the device stands still: its velocity is zero and its gyroscope shows the bias.
struct ZeroVelocityUpdate {
  /// 1-sigma of the velocity of a device judged still, m/s.
  static let velocitySigma = 0.01

  /// The gyroscope's white noise density, rad/s/sqrt(Hz).
  var gyroscopeNoiseDensity: Double

  /// - Parameters:
  ///   - rate: mean angular rate, IMU axes, over `duration` seconds since the last such update.
  /// - Returns: false when the update was refused (the state contradicts stillness at 1e-4) or not possible.
  func apply(to filter: InertialNavigation, rate: Vector3, duration: Double) -> Bool {
    let size = InertialState.errorSize
    var jacobian = [Double](repeating: 0, count: 6 * size)
    for i in 0..<3 {
      jacobian[i * size + 6 + i] = 1
      jacobian[(3 + i) * size + 9 + i] = 1
    }
    let velocity = -filter.state.velocity
    let bias = rate - filter.state.gyroscopeBias
    // The same readings already carried the state here, so their noise is not independent: three times the sigma.
    let rateVariance = 9 * gyroscopeNoiseDensity * gyroscopeNoiseDensity / max(duration, 1e-3) + 1e-8
    let velocityVariance = Self.velocitySigma * Self.velocitySigma
    let result = filter.covariance.update(
      jacobian: [(filter.poseBlock, jacobian)],
      residual: [velocity.x, velocity.y, velocity.z, bias.x, bias.y, bias.z],
      noise: [Double](repeating: velocityVariance, count: 3) + [Double](repeating: rateVariance, count: 3),
      gate: ChiSquare.quantile9999(6))
    guard case .accepted(_, let correction) = result else { return false }
    filter.apply(correction)
    return true
  }
}
