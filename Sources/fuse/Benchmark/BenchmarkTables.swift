import Estimator

/// Figures and comparisons as text tables.
enum BenchmarkTables {
  /// In processing order.
  private static let order = ["reading"] + Estimator.Stage.allCases.map(\.rawValue) + ["writing"]

  /// A table for each recording.
  static func lines(_ figures: [RecordingFigures]) -> [String] {
    figures.flatMap { recording -> [String] in
      var table = Table([.left] + [Table.Alignment](repeating: .right, count: 8))
      table.add(["stage", "count", "share", "mean us", "p50", "p99", "worst", "mean/kernel", "p99/kernel"])
      for name in order {
        guard let stage = recording.stages[name] else { continue }
        let percent = 1e-4 * stage.microseconds.mean * Double(stage.count) / recording.cpuSeconds
        table.add(
          [name, "\(stage.count)", Words.fixed(percent, 1) + " %"]
            + [stage.microseconds.mean, stage.microseconds.p50, stage.microseconds.p99, stage.microseconds.worst].map {
              Words.fixed($0, 1)
            } + [stage.kernels.mean, stage.kernels.p99].map { Words.fixed($0, 4) })
      }
      return [summary(recording)] + table.lines() + frameLine(recording) + [""]
    }
  }

  /// A frame's time relative to the frame kernel's on the same machine.
  private static func frameLine(_ r: RecordingFigures) -> [String] {
    guard let kernel = r.kernel.frame, let frame = r.stages[Estimator.Stage.frame.rawValue]?.microseconds else {
      return []
    }
    let (mean, p99) = (Words.fixed(frame.mean / kernel, 2), Words.fixed(frame.p99 / kernel, 2))
    return ["  a frame takes \(mean) (p99 \(p99)) of the frame kernel's \(Words.fixed(kernel, 0)) us"]
  }

  /// A table of ratios, and whether they are within the thresholds.
  static func lines(_ comparison: BenchmarkComparison) -> [String] {
    var table = Table([.left, .left] + [Table.Alignment](repeating: .right, count: 5) + [.left])
    table.add(["recording", "stage", "old mean", "new mean", "new/old", "new p99", "new/old", ""])
    for row in comparison.rows {
      table.add(
        [
          row.recording, row.stage, Words.fixed(row.old.mean, 4), Words.fixed(row.new.mean, 4),
          Words.fixed(row.new.mean / row.old.mean, 2), Words.fixed(row.new.p99, 4),
          Words.fixed(row.new.p99 / row.old.p99, 2), row.faults.joined(separator: ", "),
        ])
    }
    return ["in units of each version's own reference kernel"] + table.lines() + comparison.remarks.map { "  " + $0 }
      + [comparison.isWithin ? "within the thresholds" : "beyond the thresholds"]
  }

  private static func summary(_ r: RecordingFigures) -> String {
    let perSecond = ["frames", "ranges"].compactMap { name in
      r.perSecond[name].flatMap { $0 }.map { "\(Words.fixed($0, 0)) \(name)/s, " }
    }.joined()
    let waited = "waited \(Words.fixed(100 * r.waitedShare, 0)) % of the time"
    return "\(r.recording): \(Words.fixed(r.seconds, 1)) s in \(Words.fixed(r.cpuSeconds, 2)) s of processor time, "
      + perSecond + "\(Words.fixed(r.timesRealTime, 0)) x real time, "
      + "\(Words.fixed(Double(r.peakMemoryBytes) / 1e6, 0)) MB; kernel \(Words.fixed(r.kernel.unit, 0)) us (update \(Words.fixed(r.kernel.update, 0)), loop "
      + "\(Words.fixed(r.kernel.loop, 0))), empty stage \(Words.fixed(r.emptyStageMicroseconds, 1)) us, \(waited)"
  }
}
