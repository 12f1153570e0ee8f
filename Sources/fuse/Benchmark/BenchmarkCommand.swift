import ArgumentParser
import Dispatch
import Foundation

/// `fuse benchmark ...`: called by `tools/benchmark`; hidden from the help.
struct BenchmarkCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "benchmark", abstract: "What each stage costs. See tools/benchmark.", shouldDisplay: false,
    subcommands: [Measure.self, Show.self, Compare.self, Keep.self])

  /// Measures one recording; run in its own process because the peak memory is that of the process.
  struct Measure: ParsableCommand {
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
  struct Show: ParsableCommand {
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
  struct Keep: ParsableCommand {
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
