import Geometry

/// What the path loses, as those see it who remember where the device was.
extension InertialNavigation {
  /// See `NavigationFilter`.
  package var accumulatedDrift: AccumulatedDrift { drift.total }

  /// Adds to the drift what its covariance does not show, m^2 per axis.
  func addDrift(positionVariance: Double) { drift.add(position: positionVariance * Matrix3.identity) }
}
