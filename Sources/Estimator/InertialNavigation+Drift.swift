import Geometry

/// What the path loses, as those see it who remember where the device was.
extension InertialNavigation {
  /// See `NavigationFilter`.
  package var accumulatedDrift: AccumulatedDrift { drift.total }

  /// Makes an update, and counts what it moves the position by as drift, by the variance that it takes from it: whoever remembers where the
  /// device was believed to be at an earlier range sees that as motion. With growth before an update and the loss in it, the variance of
  /// what an estimate errs by between two moments is complete.
  func countingCorrection<T>(_ update: () -> T) -> T {
    let before = positionCovariance.trace
    defer { addDrift(positionVariance: max(before - positionCovariance.trace, 0) / 3) }
    return update()
  }

  /// Adds to the drift what its covariance does not show, m^2 per axis.
  func addDrift(positionVariance: Double) { drift.add(positionVariance: positionVariance) }
}
