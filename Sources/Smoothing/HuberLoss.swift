/// Quadratic for small errors, linear for large ones: the influence of an outlier is bounded.
/// Source: Huber, "Robust estimation of a location parameter", Ann. Math. Statist. 35(1), 1964,
/// doi:10.1214/aoms/1177703732.
package struct HuberLoss: Equatable, Sendable {
  /// Error above which it is linear, sigmas.
  package var threshold: Double

  /// - Parameter threshold: sigmas.
  package init(threshold: Double) { self.threshold = threshold }

  /// The cost of an error of this squared length: `s / 2` up to the threshold.
  package func cost(_ squared: Double) -> Double {
    let limit = threshold * threshold
    return squared <= limit ? 0.5 * squared : threshold * squared.squareRoot() - 0.5 * limit
  }

  /// Weight of the squared error in iteratively reweighted least squares.
  package func weight(_ squared: Double) -> Double {
    return squared <= threshold * threshold ? 1 : threshold / squared.squareRoot()
  }
}
