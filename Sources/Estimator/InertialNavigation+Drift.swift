import Geometry

/// Drift of the trajectory relative to itself.
extension InertialNavigation {
  /// See `NavigationFilter`.
  package var accumulatedDrift: AccumulatedDrift { drift.total }

  /// Adds drift that the covariance does not contain, m^2 per axis.
  func addDrift(positionVariance: Double) { drift.add(position: positionVariance * Matrix3.identity) }
}
