import Geometry

/// What the path loses, as those see it who remember where the device was.
extension InertialNavigation {
  package var accumulatedDrift: AccumulatedDrift { drift.total }
  package var velocitySigma: Double { variances.velocity.squareRoot() }
  /// See `NavigationFilter`. Half of where the filter counts as settled is a centimetre or two over the window; who walks at a metre a
  /// second needs not know it to five centimetres.
  package var isVelocityKnown: Bool {
    velocitySigma < max(0.5 * Self.settledVelocity, MotionInitializer.bearable * state.velocity.norm)
  }
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
