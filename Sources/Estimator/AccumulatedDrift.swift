/// What a trajectory has lost relative to itself since it began: sums that only grow, so that whoever remembers an earlier
/// value knows the drift since then.
package struct AccumulatedDrift: Equatable, Sendable {
  /// Variance of position per axis, m^2.
  package var position = 0.0
  /// Variance of heading, rad^2.
  package var yaw = 0.0

  package init(position: Double = 0, yaw: Double = 0) {
    self.position = position
    self.yaw = yaw
  }

  package static func - (a: AccumulatedDrift, b: AccumulatedDrift) -> AccumulatedDrift {
    AccumulatedDrift(position: max(a.position - b.position, 0), yaw: max(a.yaw - b.yaw, 0))
  }
}
