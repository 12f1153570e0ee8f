import ArgumentParser
import Datasets
import Foundation
import PrecisionFinding
import RunResults
import Settings

extension RunOptions.Initialization: ExpressibleByArgument {}
extension RunPipeline.Format: ExpressibleByArgument {}

/// `fuse run <folder>`.
struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Finds the peers of a recording.",
    discussion: """
      Prints a line on stdout when something changes, and writes updates.jsonl, trajectory.tum, \
      result.json and timing.json into the output folder; an older result there is replaced when the run \
      succeeded.

      EXAMPLES
        fuse run datasets/demo
        fuse run phone -o result --quiet
        fuse run phone --from 5 --to 12 --peer tag
        fuse run phone --offline                a smoother trajectory, from the whole recording
        fuse run phone --calibrate              a camera with an unreliable calibration
        fuse stream phone --pace real | fuse run - --format jsonl
        fuse run phone --format jsonl | jq -c '[.timestamp, .peer, .distance]'
      """)

  @Argument(help: "The recording: a folder in EuRoC's layout, ranges beside it; - for event lines on standard input.")
  var folder: String

  @Option(name: .shortAndLong, help: "Where the results go. (default: ./<name>-fuse)")
  var output: String?

  @Flag(help: "No story and no progress; only a verdict that is not healthy, on stderr.")
  var quiet = false

  @Option(help: "Format of stdout: text (the story) or jsonl (the updates).")
  var format: RunPipeline.Format = .text

  @Option(help: ArgumentHelp("Begin this long after the recording's first event, seconds.", valueName: "s"))
  var from: Double?

  @Option(help: ArgumentHelp("End this long after the recording's first event, seconds.", valueName: "s"))
  var to: Double?

  @Option(help: ArgumentHelp("Only this peer.", valueName: "id"))
  var peer: String?

  @Flag(help: "Take the trajectory from odometry0 even if IMU and camera are there.")
  var odometry = false

  @Flag(
    help: "Smooth the trajectory over the whole recording after the forward run; updates stay as they are.")
  var offline = false

  @Option(help: "Initial state: estimated (auto) or the first true state (groundtruth).")
  var initialize: RunOptions.Initialization = .auto

  @Flag(help: "Read and decode images on the same thread as everything else; the results are the same.")
  var sequential = false

  @Flag(help: "Any damage of the recording ends the run.")
  var strict = false

  @Flag(help: "Estimate the camera's extrinsics, time offset and intrinsics online, as far as they are observable.")
  var calibrate = false

  @Option(help: ArgumentHelp("Settings of the finder.", valueName: "yaml"))
  var config: String?

  func validate() throws {
    for (name, value) in [("--from", from), ("--to", to)] {
      if let value, !(value >= 0 && value <= 1e9) { throw ValidationError("\(name) must be from 0 to 1e9 seconds.") }
    }
    if let from, let to, to <= from { throw ValidationError("--to must be later than --from.") }
    if folder == "-", odometry || initialize != .auto {
      throw ValidationError("A stream's header says where the trajectory comes from, and truth is not streamed.")
    }
    if folder.isEmpty || output?.isEmpty == true { throw ValidationError("A folder needs a name.") }
  }

  func run() throws {
    try Failure.reporting {
      try ForeignSource.refuse(folder)
      var finder = try config.map { try ConfigurationFile.read($0) } ?? FinderConfiguration()
      if calibrate { finder.calibration.online = true }
      try RunExecution(
        folder: folder, output: output ?? Self.defaultOutput(for: folder),
        options: RunOptions(
          from: from, to: to, peer: peer, forcesOdometry: odometry, initialization: initialize, isOffline: offline,
          readsAhead: !sequential, isStrict: strict,
          finder: finder), format: format, isQuiet: quiet
      ).run()
    }
  }

  /// `./<name>-fuse` with the folder's own name, however its path was written.
  private static func defaultOutput(for folder: String) -> String {
    if folder == "-" { return "./stdin-fuse" }
    let name = RawArguments.name(of: folder)
    return "./\(name == "/" ? "root" : name)-fuse"
  }
}

extension RunOptions {
  /// Reading options for such a run.
  var reading: ReadingOptions {
    ReadingOptions(
      strict: isStrict, from: from, to: to, peer: peer, usesOdometry: forcesOdometry ? true : nil,
      tracking: .frontEnd(readsAhead: readsAhead))
  }
}
