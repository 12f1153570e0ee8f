import ArgumentParser
import Datasets
import Foundation
import Simulation

/// `fuse simulate <scenario or file.yaml> -o <dir> --seed N`.
struct SimulateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Makes a recording with known truth.",
    discussion: """
      EXAMPLES
        fuse simulate --list
        fuse simulate arc -o walk --seed 7
        fuse simulate my-scenario.yaml -o walk --seed 7
      """)

  @Flag(help: "Names the scenarios, one a line.")
  var list = false

  @Argument(help: "A scenario's name, or a YAML file that describes one.")
  var scenario: String?

  @Option(name: .shortAndLong, help: "Where the recording goes.")
  var output: String?

  @Option(help: "The same seed makes the same recording.")
  var seed: UInt64 = 1

  func validate() throws {
    if list { return }
    if scenario == nil { throw ValidationError("Name a scenario, or use --list.") }
    if output == nil { throw ValidationError("Say where the recording goes: -o <dir>.") }
  }

  func run() throws {
    try Failure.reporting {
      var standardOutput = StandardOutput(needsReader: false)
      guard !list, let scenario, let output else {
        let width = Scenario.builtIn.map(\.name.count).max() ?? 0
        for known in Scenario.builtIn {
          try standardOutput.line(Words.left(known.name, width) + "  " + known.summary)
        }
        return
      }
      let contents = try Simulator(scenario: Scenario.named(scenario), seed: seed).recording()
      try DatasetWriter(folder: URL(fileURLWithPath: output)).write(contents)
      try standardOutput.line("\(output): \(contents.title), \(Words.count(contents.events.count, "event"))")
    }
  }
}
