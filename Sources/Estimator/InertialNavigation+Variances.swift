import Geometry
import Inertial
import SensorData

/// Uncertainty of the state.
extension InertialNavigation {
  /// Largest variances of a component of the velocity, (m/s)^2, and of the gyroscope's bias, (rad/s)^2.
  package var variances: (velocity: Double, gyroscopeBias: Double) {
    let offset = covariance.offset(of: poseBlock)
    func largest(_ row: Int) -> Double { (offset + row..<offset + row + 3).reduce(0) { max($0, covariance[$1, $1]) } }
    return (largest(6), largest(9))
  }

  /// See `NavigationFilter`.
  package var velocitySigma: Double { variances.velocity.squareRoot() }

  /// See `NavigationFilter`. At half the convergence limit the error is a centimetre or two over the window. A relative
  /// limit applies at higher speeds: at 1 m/s, 5 cm/s are not needed.
  package var isVelocityKnown: Bool {
    velocitySigma
      < max(
        0.5 * Self.convergedVelocitySigma, DynamicInitializer.urgentRelativeSigmaLimit * state.velocity.norm)
  }

  /// Covariance of the position, m^2.
  package var positionCovariance: Matrix3 { positionCovariance(of: poseBlock) }

  /// Position covariance of a block whose error begins with (theta, p), m^2.
  func positionCovariance(of pose: ErrorCovariance.Block) -> Matrix3 {
    let offset = covariance.offset(of: pose) + 3
    var result = Matrix3.zero
    for i in 0..<3 { for j in 0..<3 { result[i, j] = covariance[offset + i, offset + j] } }
    return result
  }

  /// 1-sigma of the gyroscope's scale error: relative error of a rotation angle.
  package var rotationScaleSigma: Double {
    guard let intrinsicsBlock else { return unitSigma }
    let offset = covariance.offset(of: intrinsicsBlock)
    return (offset + 6..<offset + IMUIntrinsics.count).reduce(0) { max($0, covariance[$1, $1]) }.squareRoot()
  }

  /// Largest variance of a component of the acceleration, (m/s^2)^2: `da = [g]x theta - R db_a` near standstill, where
  /// the errors of tilt and bias compensate each other.
  package var accelerationVariance: Double {
    let n = InertialState.errorSize, p = covariance.marginal([poseBlock])
    let byRotation = gravity.skew, byBias = -1.0 * state.rotation.matrix
    func block(_ row: Int, _ column: Int) -> Matrix3 { Matrix3(blockAt: row, column, of: p, size: n) }
    let cross = byRotation * block(0, 12) * byBias.transpose
    let own = byRotation * block(0, 0) * byRotation.transpose + byBias * block(12, 12) * byBias.transpose
    let sum = own + cross + cross.transpose
    return max(sum[0, 0], sum[1, 1], sum[2, 2], 0)
  }
}
