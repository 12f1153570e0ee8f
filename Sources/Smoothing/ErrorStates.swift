import Estimator
import Geometry
import Inertial

extension InertialState {
  /// Derivative of `x.plus(d).minus(y)` by d at 0, 15 x 15, row-major: the inverse left Jacobian for the rotation, the
  /// identity for the rest.
  package func minusJacobian(_ y: InertialState) -> [Double] {
    let m = Rotation.leftJacobian((rotation * y.rotation.inverse).log).inverse ?? .identity
    var result = SquareMatrix.identity(Self.errorSize)
    for i in 0..<3 { for j in 0..<3 { result[i, j] = m[i, j] } }
    return result.numbers
  }
}

extension RigEstimate {
  /// Derivative of `x.plus(d).minus(y)` by d at 0, 22 x 22, row-major: the inverse right Jacobian for the rotation, the
  /// identity for the rest.
  package func minusJacobian(_ y: RigEstimate) -> [Double] {
    let phi = (y.mount.imuFromCamera.rotation.inverse * mount.imuFromCamera.rotation).log
    let m = Rotation.leftJacobian(-phi).inverse ?? .identity
    var result = SquareMatrix.identity(Self.errorSize)
    for i in 0..<3 { for j in 0..<3 { result[i, j] = m[i, j] } }
    return result.numbers
  }
}
