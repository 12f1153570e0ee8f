/// Thresholds of `tools/benchmark --compare`; stored in tools/benchmark-thresholds.json.
package struct BenchmarkThresholds: Codable, Equatable, Sendable {
  /// A value for the mean and one for the 99th percentile.
  package struct Pair: Codable, Equatable, Sendable {
    package var mean, p99: Double

    package init(mean: Double, p99: Double) {
      self.mean = mean
      self.p99 = p99
    }
  }

  /// Largest ratio of a stage's time to its former time, or to its limit.
  package var tolerance: Pair
  /// Figures below these are not compared, in units of the reference kernel: caches and the clock dominate them.
  package var smallest: Pair
  /// Limits by recording and stage, in units of the reference kernel, before the tolerance.
  package var limits: [String: [String: Pair]]

  package init(tolerance: Pair, smallest: Pair, limits: [String: [String: Pair]]) {
    self.tolerance = tolerance
    self.smallest = smallest
    self.limits = limits
  }

  /// The same with the limits of the measured recordings replaced; those of others stay.
  package func keeping(_ figures: [RecordingFigures]) -> BenchmarkThresholds {
    var kept = self
    for recording in figures {
      kept.limits[recording.recording] = recording.stages.compactMapValues {
        $0.kernels.mean < smallest.mean
          ? nil : Pair(mean: Self.rounded($0.kernels.mean), p99: Self.rounded($0.kernels.p99))
      }
    }
    return kept
  }

  /// Four decimals, for readability.
  private static func rounded(_ value: Double) -> Double { (value * 1e4).rounded() / 1e4 }
}
