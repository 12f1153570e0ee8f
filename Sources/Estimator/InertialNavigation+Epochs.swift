import Geometry
import Inertial

/// Loss and recovery of the position.
extension InertialNavigation {
  /// Marks the position as lost: positions estimated with it are no longer valid.
  func losePosition() { isPositionLost = true }

  /// Starts a new epoch after recovery: from now on position errors are relative to the device's position.
  ///
  /// With p the device's position error, every position error `p_i` becomes `p_i - p`, and p becomes zero. This shifts
  /// the world's origin by an unknown amount, whose covariance is added to `originCovariance`. Estimates are unchanged,
  /// and relative positions keep their covariance. Otherwise every later correction of the velocity would also move the
  /// device by its correlation with the displacement during the outage.
  package func beginEpoch() {
    let width = InertialState.errorSize, size = Clone.errorSize
    var minusPosition = [Double](repeating: 0, count: size * width)
    var same = [Double](repeating: 0, count: size * size)
    for k in 0..<size { same[k * (size + 1)] = 1 }
    for k in 3..<6 { minusPosition[k * width + k] = -1 }
    for clone in clones {
      covariance.transform(clone.block, jacobian: [(clone.block, same), (poseBlock, minusPosition)])
    }
    for i in clones.indices { clones[i].positionCovarianceAtCloning = positionCovariance(of: clones[i].block) }
    originCovariance = originCovariance + positionCovariance
    var withoutPosition = [Double](repeating: 0, count: width * width)
    var floor = withoutPosition
    for k in 0..<width where !(3..<6).contains(k) { withoutPosition[k * (width + 1)] = 1 }
    for k in 3..<6 { floor[k * (width + 1)] = 1e-8 }
    covariance.transform(poseBlock, jacobian: [(poseBlock, withoutPosition)])
    covariance.propagate(poseBlock, transition: InertialTransition.identity.matrix, noise: floor)
    epoch += 1
    isPositionLost = false
  }
}
