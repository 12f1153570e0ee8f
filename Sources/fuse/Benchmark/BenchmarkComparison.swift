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
