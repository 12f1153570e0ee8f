import Geometry
import Inertial

/// A way that is lost and found again.
extension InertialNavigation {
  /// The way is lost: whoever found something by it must let go of it.
  func losePosition() { isPositionLost = true }

  /// The way is known again: from now on positions count from where the device is, as far as their errors are concerned.
  ///
  /// With p the device's position error, every position error `p_i` becomes `p_i - p`, and p becomes zero: a change of the world's origin by
  /// an unknown amount, which is remembered in `originCovariance`. What is estimated stays as it is; what is relative keeps its
  /// covariance. Otherwise every later bit of knowledge about the velocity would go on moving the device by what it may have done in
  /// the dark.
  package func beginEpoch() {
    let width = InertialState.errorSize, size = Clone.errorSize
    var less = [Double](repeating: 0, count: size * width)
    var same = [Double](repeating: 0, count: size * size)
    for k in 0..<size { same[k * (size + 1)] = 1 }
    for k in 3..<6 { less[k * width + k] = -1 }
    for clone in clones { covariance.transform(clone.block, jacobian: [(clone.block, same), (poseBlock, less)]) }
    for i in clones.indices { clones[i].takenPositionCovariance = positionCovariance(of: clones[i].block) }
    originCovariance = originCovariance + positionCovariance
    var rest = [Double](repeating: 0, count: width * width)
    var certain = rest
    for k in 0..<width where !(3..<6).contains(k) { rest[k * (width + 1)] = 1 }
    for k in 3..<6 { certain[k * (width + 1)] = 1e-8 }
    covariance.transform(poseBlock, jacobian: [(poseBlock, rest)])
    covariance.propagate(poseBlock, transition: InertialTransition.identity.matrix, noise: certain)
    epoch += 1
    isPositionLost = false
  }
}
