import Geometry

/// Drift of a trajectory relative to itself since its start, as monotonic sums. The difference of two values is the
/// drift in between.
package struct AccumulatedDrift: Equatable, Sendable {
  /// Covariance of position, 3 x 3, world axes, m^2.
  package var position = Matrix3.zero
  /// Variance of heading, rad^2.
  package var yaw = 0.0

  package init(position: Matrix3 = .zero, yaw: Double = 0) {
    self.position = position
    self.yaw = yaw
  }

  /// Isotropic: `positionVariance` per axis, m^2.
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
