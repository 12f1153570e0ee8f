internal import CLinearAlgebra
import Geometry
import Inertial

/// What the inertial samples between two poses say about them.
///
/// The error `e(x0, x1) = x1 [-] f(x0)` in (theta, p, v), f the propagation; both states share their biases. Its noise is
/// what the samples gather on the way.
package struct InertialFactor: Sendable {
  /// Error and its Jacobians, in blocks of three: rows (theta, p, v); columns (theta, p, v) of x0, (theta, p, v) of x1,
  /// gyroscope's and accelerometer's bias.
  package struct Linear {
    package var error: [Vector3]
    package var jacobian: [[Matrix3]]
  }

  private let stretch: InertialStretch
  private let propagation: InertialPropagation
  private let noise: InertialNoise
  /// Inverse of the noise's covariance, 3 x 3 blocks.
  private let information: [Matrix3]

  /// - Parameter state: about where it starts: the noise is gathered there.
  /// - Returns: nil when the noise is not positive definite.
  package init?(
    _ stretch: InertialStretch, from state: InertialState, _ propagation: InertialPropagation, _ noise: InertialNoise
  ) {
    self.stretch = stretch
    self.propagation = propagation
    self.noise = noise
    let gathered = stretch.linearised(state, propagation, noise).noise
    var covariance = [Double](repeating: 0, count: 81)
    var inverse = covariance
    for i in 0..<9 {
      for j in 0..<9 { covariance[9 * i + j] = gathered[i / 3, j / 3][i % 3, j % 3] }
      inverse[10 * i] = 1
    }
    // A micrometre, a microradian: one step alone leaves the position without noise of its own.
    for i in 0..<9 { covariance[10 * i] += 1e-12 }
    guard Int(fuse_la_solve(covariance, 9, &inverse, 9)) == FUSE_LA_OK else { return nil }
    information = (0..<9).map { block in
      var m = Matrix3.zero
      for a in 0..<3 { for b in 0..<3 { m[a, b] = inverse[9 * (3 * (block / 3) + a) + 3 * (block % 3) + b] } }
      return m
    }
  }

  /// The state that the samples alone carry `state` to.
  package func carried(_ state: InertialState) -> InertialState { stretch.propagated(state, propagation) }

  /// Error and Jacobians at two states.
  package func linearised(_ start: InertialState, _ end: InertialState) -> Linear {
    let (predicted, phi, _) = stretch.linearised(start, propagation, noise)
    let theta = (end.rotation * predicted.rotation.inverse).log
    let left = Rotation.leftJacobian(theta).inverse ?? .identity
    let right = Rotation.leftJacobian(-theta).inverse ?? .identity
    let one = Matrix3.identity, none = Matrix3.zero
    let forward = Matrix3(diagonal: Vector3(repeating: -phi.dt))
    return Linear(
      error: [theta, end.position - predicted.position, end.velocity - predicted.velocity],
      jacobian: [
        [-right, none, none, left, none, none, -(right * phi.rotationByGyroscopeBias), none],
        [
          -phi.positionByRotation, -one, forward, none, one, none, -phi.positionByGyroscopeBias,
          -phi.positionByAccelerometerBias,
        ],
        [
          -phi.velocityByRotation, none, -one, none, none, one, -phi.velocityByGyroscopeBias,
          -phi.velocityByAccelerometerBias,
        ],
      ])
  }

  /// Adds the factor to normal equations; `columns` are the eight blocks in the order of the Jacobian's.
  package func add(to system: inout BlockSystem, columns: [Int], _ start: InertialState, _ end: InertialState) {
    let linear = linearised(start, end)
    for j in 0..<8 {
      // Column j of W E.
      let weighted = (0..<3).map { i in
        (0..<3).reduce(Matrix3.zero) { $0 + information[3 * i + $1] * linear.jacobian[$1][j] }
      }
      for i in 0...j {
        let block = (0..<3).reduce(Matrix3.zero) { $0 + linear.jacobian[$1][i].transpose * weighted[$1] }
        system.add(columns[i], columns[j], block)
      }
      for i in 0..<3 { system.right[columns[j]] = system.right[columns[j]] - weighted[i].transpose * linear.error[i] }
    }
    for i in 0..<3 {
      for j in 0..<3 { system.cost += information[3 * i + j].form(linear.error[i], linear.error[j]) }
    }
  }
}
