import ArgumentParser
import Dispatch
import Estimator
import Foundation
import Wording

/// `fuse benchmark ...`: called by `tools/benchmark`; hidden from the help.
struct BenchmarkCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "benchmark", abstract: "What each stage costs. See tools/benchmark.", shouldDisplay: false,
    subcommands: [Measure.self, Show.self, Compare.self, Keep.self])

  /// Measures one recording; run in its own process because the peak memory is that of the process.
  private struct Measure: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Measures one recording; JSON on stdout.")

    @Argument(help: "The recording.") var folder: String
    @Option(help: "Runs; each stage's n-th time is the shortest of all runs.") var repeats = 5

    func validate() throws {
      guard (1...1000).contains(repeats) else { throw ValidationError("--repeats must be from 1 to 1000.") }
    }

    func run() throws {
      try Failure.reporting {
        let (folder, repeats) = (folder, repeats)
        let figures = try Self.onThread { try MeasuredRun.figures(of: folder, repeats: repeats) }
        var output = StandardOutput()
        try output.write([UInt8](BenchmarkFile.json(figures)))
        try output.flush()
      }
    }

    /// Runs work on a separate thread, as an app does: on the main thread, with its heap, the frame kernel took longer
    /// in the same build, the filter did not.
    private static func onThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) throws -> Value {
      let done = DispatchSemaphore(value: 0)
      nonisolated(unsafe) var result: Result<Value, any Error>?
      let thread = Thread {
        result = Result { try work() }
        done.signal()
      }
      thread.stackSize = 8 << 20
      thread.start()
      done.wait()
      return try result!.get()
    }
  }

  /// Figures as tables.
  private struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Shows a file of figures as tables.")

    @Argument(help: "A file of figures.") var file: String

    func run() throws {
      try Failure.reporting {
        try BenchmarkCommand.write(BenchmarkTables.lines(BenchmarkFile.read([RecordingFigures].self, from: file)))
      }
    }
  }

  /// Two versions.
  struct Compare: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Compares two files of figures; 1 beyond the thresholds.")

    @Argument(help: "The old version's figures.") var old: String
    @Argument(help: "The new version's figures.") var new: String
    @Option(help: "The thresholds.") var thresholds: String

    func run() throws {
      try Failure.reporting {
        let comparison = BenchmarkComparison(
          old: try BenchmarkFile.read([RecordingFigures].self, from: old),
          new: try BenchmarkFile.read([RecordingFigures].self, from: new),
          thresholds: try BenchmarkFile.read(BenchmarkThresholds.self, from: thresholds))
        guard !comparison.rows.isEmpty else { throw CommandError("\(old) and \(new) have no recording in common") }
        try BenchmarkCommand.write(BenchmarkTables.lines(comparison))
        if !comparison.isWithin { throw ExitCode(1) }
      }
    }
  }

  /// New limits.
  private struct Keep: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Thresholds with limits as measured; JSON on stdout.")

    @Argument(help: "A file of figures.") var file: String
    @Option(help: "The thresholds so far.") var thresholds: String

    func run() throws {
      try Failure.reporting {
        let kept = try BenchmarkFile.read(BenchmarkThresholds.self, from: thresholds).keeping(
          BenchmarkFile.read([RecordingFigures].self, from: file))
        var output = StandardOutput()
        try output.write([UInt8](BenchmarkFile.json(kept)))
        try output.flush()
      }
    }
  }

  private static func write(_ lines: [String]) throws {
    var output = StandardOutput()
    for line in lines { try output.line(line) }
  }
}

/// Figures and comparisons as text tables.
private enum BenchmarkTables {
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
