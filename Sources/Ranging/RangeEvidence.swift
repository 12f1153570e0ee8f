import Geometry

/// One range, as the hypotheses see it.
package struct RangeEvidence {
  /// Measured distance, metres.
  package var range: Double
  /// Where the antenna was, world, metres.
  package var antenna: Vector3
  /// Where that antenna's biases stand in the state.
  package var columns: BiasColumns
  /// Seconds since the range before.
  package var seconds: Double
  /// Variance beyond the link's noise, m^2.
  package var extraVariance: Double
  /// How blocked and gross ranges err.
  package var configuration: RangingConfiguration

  package init(
    range: Double, antenna: Vector3, columns: BiasColumns, seconds: Double, extraVariance: Double,
    configuration: RangingConfiguration
  ) {
    self.range = range
    self.antenna = antenna
    self.columns = columns
    self.seconds = seconds
    self.extraVariance = extraVariance
    self.configuration = configuration
  }
}

/// What a range said about the link as a whole.
package struct RangeVerdict {
  /// Mean innovation over the posterior, metres, and its variance, m^2.
  package var innovation = 0.0
  package var variance = 0.0
  /// Probability that the range was no gross error.
  package var regular = 0.0
  /// Logarithm of the density that the whole posterior foretold for the range, 1/m.
  package var logDensity = 0.0
}
