import ArgumentParser
import Datasets
import Exporting
import Foundation
import RunResults

/// `fuse export`.
struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "A run in the formats of other tools.",
    subcommands: [ExportMCAPCommand.self, ExportCSVCommand.self])
}

/// `fuse export mcap <run> -o x.mcap`.
private struct ExportMCAPCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mcap",
    abstract: "For Foxglove and other readers of MCAP: transforms, path, peers, updates, log.",
    discussion: """
      With the run's recording also ranges, inertial readings, images and tracks. A layout for Foxglove is written \
      beside it: x.layout.json, to be imported there.

      EXAMPLES
        fuse export mcap demo-fuse -o demo.mcap
        fuse export mcap demo-fuse -o demo.mcap --recording datasets/demo
      """)

  @Argument(help: "A run's output folder.")
  var folder: String

  @Option(name: .shortAndLong, help: "The file that is written.")
  var output: String

  @Option(help: "The run's dataset folder. (default: where the run says it is)")
  var recording: String?

  @Flag(help: "Nothing of the recording.")
  var runOnly = false

  func validate() throws {
    guard !output.isEmpty else { throw ValidationError("Name the file that is written: -o x.mcap.") }
    guard !(runOnly && recording != nil) else {
      throw ValidationError("--run-only and --recording exclude each other.")
    }
  }

  func run() throws {
    try Failure.reporting {
      let source = runOnly ? nil : recording ?? MCAPExport.recording(ofRun: folder)
      let stem = output.hasSuffix(".mcap") ? String(output.dropLast(5)) : output
      let inputs = [folder] + (source.map { [$0] } ?? [])
      let file = try OutputFile(path: output, inputs: inputs)
      let layout = try OutputFile(path: "\(stem).layout.json", inputs: inputs)
      let counts = try MCAPExport(run: folder, recording: source).write(to: file)
      let peers = Set(try RunFolder(path: folder).updates.compactMap(\.peer)).sorted()
      try layout.write(Array(FoxgloveLayout.text(peers: peers, hasImages: counts["/cam0/image"] != nil).utf8))
      try file.commit()
      try layout.commit()
      var standardOutput = StandardOutput()
      for (topic, count) in counts.sorted(by: { $0.key < $1.key }) { try standardOutput.line("  \(topic): \(count)") }
      try standardOutput.line("wrote \(output) and \(stem).layout.json")
    }
  }
}

/// `fuse export csv <run> -o x.csv`.
private struct ExportCSVCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "csv", abstract: "The updates as one table, a row each; empty cells where there is no value.")

  @Argument(help: "A run's output folder.")
  var folder: String

  @Option(name: .shortAndLong, help: "The file that is written.")
  var output: String

  func validate() throws {
    guard !output.isEmpty else { throw ValidationError("Name the file that is written: -o x.csv.") }
  }

  func run() throws {
    try Failure.reporting {
      let file = try OutputFile(path: output, inputs: [folder])
      let rows = try CSVExport.write(run: folder, to: file)
      try file.commit()
      var standardOutput = StandardOutput()
      try standardOutput.line("wrote \(output): \(rows) rows")
    }
  }
}
