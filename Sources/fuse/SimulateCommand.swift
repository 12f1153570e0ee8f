import ArgumentParser
import Datasets
import Foundation
import RunResults
import Settings
import Simulation
import Wording

/// `fuse simulate <scenario or file.yaml> -o <dir> --seed N`.
struct SimulateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Makes a recording with ground truth.",
    discussion: """
      EXAMPLES
        fuse simulate --list
        fuse simulate arc -o walk --seed 7
        fuse simulate arc -o walk --seed 7 --images   with the camera's images
        fuse simulate my-scenario.yaml -o walk --seed 7
      """)

  @Flag(help: "Lists the scenarios, one per line.")
  var list = false

  @Argument(help: "A scenario's name, or a YAML file that describes one.")
  var scenario: String?

  @Option(name: .shortAndLong, help: "Where the recording goes.")
  var output: String?

  @Option(help: "The same seed makes the same recording.")
  var seed: UInt64 = 1

  @Flag(help: "Renders the cameras' images too, beside the tracks.")
  var images = false

  func validate() throws {
    if list { return }
    if scenario == nil { throw ValidationError("Name a scenario, or use --list.") }
    if output == nil { throw ValidationError("Name the output folder: -o <dir>.") }
  }

  func run() throws {
    try Failure.reporting {
      var standardOutput = StandardOutput()
      guard !list, let scenario, let output else {
        let width = Scenario.builtIn.map(\.name.count).max() ?? 0
        for known in Scenario.builtIn {
          try standardOutput.line(Words.left(known.name, width) + "  " + known.summary)
        }
        return
      }
      let simulator = try Simulator(scenario: Scenario.asked(scenario), seed: seed)
      if images, simulator.scenario.camera == nil {
        throw CommandError("\(simulator.scenario.name): found no camera, expected one for --images")
      }
      let contents = simulator.recording()
      var count = 0
      try DatasetWriter(folder: URL(fileURLWithPath: output), inputs: [scenario]).write(contents) { folder in
        if images { count = try writeImages(simulator, contents, into: folder) }
      }
      let rendered = images ? ", \(Words.count(count, "image"))" : ""
      try standardOutput.line("\(output): \(contents.title), \(Words.count(contents.events.count, "event"))" + rendered)
    }
  }

  /// Renders and writes the image of every frame, one at a time.
  ///
  /// - Returns: the number of images.
  private func writeImages(
    _ simulator: Simulator, _ contents: DatasetContents, into folder: StagedFolder
  ) throws -> Int {
    guard let renderer = ImageSimulator(simulator) else { return 0 }
    var writers = contents.rig.cameras.indices.map { CameraImageWriter(folder: folder, camera: $0) }
    var progress = ProgressLine(span: simulator.motion.duration, isQuiet: false)
    defer { progress.erase() }
    var count = 0
    for case .frame(let frame) in contents.events.lazy.map(\.event) {
      try writers[frame.camera].write(renderer.image(of: frame), at: frame.timestamp)
      progress.show(frame.timestamp.seconds(since: Simulator.start))
      count += 1
    }
    for writer in writers { try writer.finish() }
    return count
  }
}

extension Scenario {
  /// The scenario named by a user.
  ///
  /// - Throws: `ScenarioError` as `named`; `CommandError` where there is none, with one that may have been meant.
  static func asked(_ name: String) throws -> Scenario {
    let names = builtIn.map(\.name)
    if !names.contains(name), !FileManager.default.fileExists(atPath: name) {
      let near = Spelling.suggestion(for: name, among: names)
      throw CommandError("\(name): no such scenario and no such file; 'fuse simulate --list' lists them\(near)")
    }
    return try named(name)
  }
}
