import Geometry

/// What a trajectory has lost relative to itself since it began: sums that only grow, so that whoever remembers an earlier
/// value knows the drift since then.
package struct AccumulatedDrift: Equatable, Sendable {
  /// Covariance of position, 3 x 3, world axes, m^2.
  package var position = Matrix3.zero
  /// Variance of heading, rad^2.
  package var yaw = 0.0

  package init(position: Matrix3 = .zero, yaw: Double = 0) {
    self.position = position
    self.yaw = yaw
  }

  /// The same in every direction, `positionVariance` per axis, m^2.
  package init(positionVariance: Double, yaw: Double = 0) {
    self.init(position: positionVariance * Matrix3.identity, yaw: yaw)
  }

  /// Variance of position per axis, the mean over all directions, m^2.
  package var positionVariance: Double { position.trace / 3 }

  package static func - (a: AccumulatedDrift, b: AccumulatedDrift) -> AccumulatedDrift {
    let grown = a.position - b.position
    return AccumulatedDrift(position: grown.trace > 0 ? grown : .zero, yaw: max(a.yaw - b.yaw, 0))
  }
}
