internal import CLinearAlgebra
import Geometry
import Inertial

/// Inertial factor between two consecutive states.
///
/// The error is `e(x0, x1) = x1 [-] f(x0)` in (theta, p, v, b_g, b_a), f the propagation with the present intrinsics.
/// Its covariance is the process noise over the interval, including the biases' random walks.
package struct InertialFactor: Sendable {
  /// Error and its Jacobians in blocks of three: rows (theta, p, v, b_g, b_a); columns those of x0, those of x1, then
  /// the triples of the intrinsics.
  package struct Linear {
    package var error: [Vector3]
    package var jacobian: [[Matrix3]]
  }

  private static let rows = 5
  private let interval: IMUInterval
  private let propagation: InertialPropagation
  /// Inverse of the noise covariance, 5 x 5 blocks of three.
  private let information: [Matrix3]

  /// - Parameter state: an approximate start state, where the process noise is evaluated.
  /// - Returns: nil when the noise is not positive definite.
  package init?(
    _ interval: IMUInterval, from state: InertialState, _ propagation: InertialPropagation, _ noise: InertialNoise
  ) {
    self.interval = interval
    self.propagation = propagation
    let n = 3 * Self.rows
    var covariance = interval.processNoise(state, propagation, noise).rowMajor
    var inverse = [Double](repeating: 0, count: n * n)
    // A floor of a micrometre and a microradian: one step alone gives the position no noise of its own, and a bias may
    // have no random walk.
    for i in 0..<n { (covariance[i * (n + 1)], inverse[i * (n + 1)]) = (covariance[i * (n + 1)] + 1e-12, 1) }
    guard Int(fuse_la_solve(covariance, Int32(n), &inverse, Int32(n))) == FUSE_LA_OK else { return nil }
    information = (0..<Self.rows * Self.rows).map { block in
      let (row, column) = (3 * (block / Self.rows), 3 * (block % Self.rows))
      var m = Matrix3.zero
      for a in 0..<3 { for b in 0..<3 { m[a, b] = inverse[n * (row + a) + column + b] } }
      return m
    }
  }

  /// The end state predicted from `state` by the samples.
  package func carried(_ state: InertialState, _ axes: IMUIntrinsics) -> InertialState {
    interval.propagated(state, propagation, axes: axes)
  }

  /// `x1 [-] f(x0)` in (theta, p, v, b_g, b_a).
  private static func error(_ start: InertialState, _ end: InertialState, _ predicted: InertialState) -> [Vector3] {
    [
      (end.rotation * predicted.rotation.inverse).log, end.position - predicted.position,
      end.velocity - predicted.velocity, end.gyroscopeBias - start.gyroscopeBias,
      end.accelerometerBias - start.accelerometerBias,
    ]
  }

  /// The factor's cost at two states: `e^T W e`.
  package func cost(_ start: InertialState, _ end: InertialState, _ axes: IMUIntrinsics) -> Double {
    weighted(Self.error(start, end, carried(start, axes)))
  }

  private func weighted(_ error: [Vector3]) -> Double {
    var sum = 0.0
    for i in 0..<Self.rows { for j in 0..<Self.rows { sum += information[Self.rows * i + j].form(error[i], error[j]) } }
    return sum
  }

  /// Error and Jacobians at two states.
  package func linearised(_ start: InertialState, _ end: InertialState, _ axes: IMUIntrinsics) -> Linear {
    let (predicted, phi, byAxes) = interval.linearised(start, propagation, axes: axes)
    let theta = (end.rotation * predicted.rotation.inverse).log
    let left = Rotation.leftJacobian(theta).inverse ?? .identity
    let right = Rotation.leftJacobian(-theta).inverse ?? .identity
    let one = Matrix3.identity, none = Matrix3.zero
    let forward = Matrix3(diagonal: Vector3(repeating: -phi.dt))
    let by = byAxes.byTriple
    return Linear(
      error: Self.error(start, end, predicted),
      jacobian: [
        [-right, none, none, -(right * phi.rotationByGyroscopeBias), none, left, none, none, none, none]
          + by.map { -(right * $0.theta) },
        [
          -phi.positionByRotation, -one, forward, -phi.positionByGyroscopeBias, -phi.positionByAccelerometerBias,
          none, one, none, none, none,
        ] + by.map { -$0.position },
        [
          -phi.velocityByRotation, none, -one, -phi.velocityByGyroscopeBias, -phi.velocityByAccelerometerBias,
          none, none, one, none, none,
        ] + by.map { -$0.velocity },
        [none, none, none, -one, none, none, none, none, one, none] + by.map { _ in none },
        [none, none, none, none, -one, none, none, none, none, one] + by.map { _ in none },
      ])
  }

  /// Adds the factor to normal equations; `columns` are the blocks in the order of the Jacobian's, without those of the
  /// intrinsics where these are not estimated.
  package func add(
    to system: inout BlockSystem, columns: [Int], _ start: InertialState, _ end: InertialState, _ axes: IMUIntrinsics
  ) {
    let linear = linearised(start, end, axes)
    for j in columns.indices {
      // Column j of W E.
      let weighted = (0..<Self.rows).map { i in
        (0..<Self.rows).reduce(Matrix3.zero) { $0 + information[Self.rows * i + $1] * linear.jacobian[$1][j] }
      }
      for i in 0...j {
        let block = (0..<Self.rows).reduce(Matrix3.zero) { $0 + linear.jacobian[$1][i].transpose * weighted[$1] }
        system.add(columns[i], columns[j], block)
      }
      for i in 0..<Self.rows {
        system.right[columns[j]] = system.right[columns[j]] - weighted[i].transpose * linear.error[i]
      }
    }
    system.cost += weighted(linear.error)
  }
}
