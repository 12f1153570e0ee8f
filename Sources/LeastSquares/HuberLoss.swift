/// Quadratic for small errors, linear for large ones: the influence of an outlier is bounded.
/// Source: Huber, "Robust estimation of a location parameter", Ann. Math. Statist. 35(1), 1964,
/// doi:10.1214/aoms/1177703732.
@frozen @usableFromInline
package struct HuberLoss: Equatable, Sendable {
  /// Error above which it is linear, in the unit of the errors; sigmas, where they are normalised.
  @usableFromInline package var threshold: Double

  /// - Parameter threshold: in the unit of the errors.
  @inlinable package init(threshold: Double) { self.threshold = threshold }

  /// The cost of an error: `e^2 / 2` up to the threshold.
  @inlinable package func cost(_ error: Double) -> Double {
    abs(error) <= threshold ? 0.5 * error * error : threshold * abs(error) - 0.5 * threshold * threshold
  }

  /// Weight of the squared error in iteratively reweighted least squares.
  @inlinable package func weight(_ error: Double) -> Double { abs(error) <= threshold ? 1 : threshold / abs(error) }

  /// The reciprocal of the weight: by this factor the error's variance is larger than that of a regular one.
  @inlinable package func varianceFactor(_ error: Double) -> Double { max(1, abs(error) / threshold) }

  /// The cost of an error with two components.
  @inlinable package func cost(_ error: SIMD2<Double>) -> Double {
    let squared = (error * error).sum()
    return squared <= threshold * threshold ? 0.5 * squared : cost(squared.squareRoot())
  }

  /// Weight of the square of an error with two components.
  @inlinable package func weight(_ error: SIMD2<Double>) -> Double {
    let squared = (error * error).sum()
    return squared <= threshold * threshold ? 1 : threshold / squared.squareRoot()
  }
}
