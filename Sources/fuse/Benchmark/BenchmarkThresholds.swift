/// What `tools/benchmark --compare` holds a new version to; kept in tools/benchmark-thresholds.json.
package struct BenchmarkThresholds: Codable, Equatable, Sendable {
  /// One number for the mean and one for the 99th percentile.
  package struct Pair: Codable, Equatable, Sendable {
    package var mean, p99: Double

    package init(mean: Double, p99: Double) {
      self.mean = mean
      self.p99 = p99
    }
  }

  /// How many times as long as before, or as its limit, a stage may take.
  package var tolerance: Pair
  /// Figures below these are not judged, in units of the reference kernel: caches and the clock make up too much of them.
  package var smallest: Pair
  /// By recording, then by stage: what it may take, in units of the reference kernel, before the tolerance.
  package var limits: [String: [String: Pair]]

  package init(tolerance: Pair, smallest: Pair, limits: [String: [String: Pair]]) {
    self.tolerance = tolerance
    self.smallest = smallest
    self.limits = limits
  }

  /// The same with limits as a version was measured, for its recordings; those of others stay.
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

  /// Four decimals: a file for people.
  private static func rounded(_ value: Double) -> Double { (value * 1e4).rounded() / 1e4 }
}
