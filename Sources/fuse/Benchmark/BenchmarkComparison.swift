import Foundation

/// Two versions compared stage by stage, in units of each one's own reference kernel.
package struct BenchmarkComparison: Equatable, Sendable {
  /// One stage of one recording, present in both versions.
  package struct Row: Equatable, Sendable {
    package var recording, stage: String
    package var old, new: Spread
    /// Exceeded thresholds; empty for none.
    package var faults: [String]
  }

  /// By recording and stage; only those of both versions.
  package private(set) var rows: [Row] = []
  /// Stages that only one version has, and unreliable figures, in words.
  package private(set) var remarks: [String] = []
  /// Largest fraction of waiting; above it the machine was too busy to measure.
  package static let maxWaiting = 0.1

  /// True when nothing is beyond the thresholds.
  package var isWithin: Bool { rows.allSatisfy(\.faults.isEmpty) }

  /// Compares recordings of the same name.
  package init(old: [RecordingFigures], new: [RecordingFigures], thresholds: BenchmarkThresholds) {
    let (before, after) = (Self.stages(old), Self.stages(new))
    remarks =
      Self.words(for: Set(before.keys).subtracting(after.keys), common: after, "only in the old version")
      + Self.words(for: Set(after.keys).subtracting(before.keys), common: before, "only in the new version")
      + Self.busy(old, "old") + Self.busy(new, "new")
    for (key, stage) in before.sorted(by: { $0.key < $1.key }) {
      guard let now = after[key] else { continue }
      let limit = thresholds.limits[key.recording]?[key.stage]
      rows.append(
        Row(
          recording: key.recording, stage: key.stage, old: stage.kernels, new: now.kernels,
          faults: Self.faults(old: stage.kernels, new: now.kernels, limit: limit, thresholds)))
    }
  }

  /// A line for each recording that the others lack, and for each missing stage of the rest.
  private static func words(
    for keys: Set<Key>, common others: [Key: RecordingFigures.Stage], _ side: String
  ) -> [String] {
    let recordings = Set(others.keys.map(\.recording))
    let lines = keys.map { recordings.contains($0.recording) ? "\($0.recording), \($0.stage)" : $0.recording }
    return Set(lines).sorted().map { "\($0): \(side)" }
  }

  private static func busy(_ figures: [RecordingFigures], _ side: String) -> [String] {
    figures.filter { $0.waitedShare > maxWaiting }.map {
      "\($0.recording): the machine was busy when the \(side) version was measured: measure again"
    }.sorted()
  }

  private static func faults(
    old: Spread, new: Spread, limit: BenchmarkThresholds.Pair?, _ thresholds: BenchmarkThresholds
  ) -> [String] {
    var faults: [String] = []
    for (name, path, part) in [("mean", \Spread.mean, \BenchmarkThresholds.Pair.mean), ("p99", \.p99, \.p99)]
    where new[keyPath: path] >= thresholds.smallest[keyPath: part] {
      let tolerance = thresholds.tolerance[keyPath: part]
      if new[keyPath: path] > tolerance * old[keyPath: path] { faults.append("\(name) over the old version's") }
      if let limit, new[keyPath: path] > tolerance * limit[keyPath: part] { faults.append("\(name) over its limit") }
    }
    return faults
  }

  private struct Key: Hashable, Comparable {
    var recording, stage: String
    static func < (a: Key, b: Key) -> Bool { (a.recording, a.stage) < (b.recording, b.stage) }
  }

  private static func stages(_ figures: [RecordingFigures]) -> [Key: RecordingFigures.Stage] {
    var stages: [Key: RecordingFigures.Stage] = [:]
    for recording in figures {
      for (name, stage) in recording.stages { stages[Key(recording: recording.recording, stage: name)] = stage }
    }
    return stages
  }
}

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

/// The JSON files of `tools/benchmark`.
package enum BenchmarkFile {
  /// Reads a file; an error names the file and the fault.
  static func read<Value: Decodable>(_ type: Value.Type, from path: String) throws -> Value {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw CommandError("\(path): cannot be read, expected a JSON file of tools/benchmark")
    }
    do { return try JSONDecoder().decode(type, from: data) } catch {
      throw CommandError("\(path): not a JSON file of this version of tools/benchmark: \(error)")
    }
  }

  /// JSON with its keys in order and a line break at the end.
  package static func json(_ value: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(value) + Data("\n".utf8)
  }
}
