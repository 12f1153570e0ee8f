import ArgumentParser
import Datasets
import Foundation
import Importing
import PrecisionFinding
import Premises
import RunResults

/// `fuse inspect <folder>`.
struct InspectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Reports what a recording contains, what is missing and the consequences.",
    discussion: """
      EXAMPLES
        fuse inspect datasets/demo
        fuse inspect phone --strict     any damage is an error with file and line
      """)

  @Argument(help: "The recording: a folder in EuRoC's layout, ranges beside it.")
  var folder: String

  @Flag(help: "Any damage of the recording ends the inspection.")
  var strict = false

  @Flag(help: "Use odometry0 even if IMU and camera are there.")
  var odometry = false

  func run() throws {
    try Failure.reporting {
      try ForeignSource.refuse(folder)
      // As a run reads it, images tracked and all, so that both say the same.
      var options = RunOptions(forcesOdometry: odometry, isStrict: strict).reading
      options.needsTrajectory = false
      let recording = try Recording.open(URL(fileURLWithPath: folder), options: options)
      var inspection = Inspection()
      let events = try recording.events()
      let finder = recording.trajectorySource.map {
        PrecisionFinder(rig: recording.rig, useOdometry: $0 == .odometry)
      }
      let truth = try TruthReading(recording)
      var truthTest = try truth.test(recording, rig: recording.rig)
      var motion = MotionCheck(rig: recording.rig, statesDevice: recording.statesDevice)
      while let event = try events.next() {
        motion.add(event.event)
        truthTest?.observe(event.event)
        inspection.add(event)
        _ = finder?.process(event)
      }
      _ = finder?.finish()
      let seen = motion.found
      let found = (finder?.diagnoses ?? []).filter { !seen.explains($0.code) }
      let report = InspectionReport(
        inspection: inspection, rig: recording.rig, truth: truth.states, truePeers: truth.peers,
        source: recording.trajectorySource, diagnoses: found + (truthTest?.diagnoses(after: found) ?? []),
        motion: seen.findings.map { "\($0.code): \($0.sentence); \($0.evidence). \($0.remedy)" },
        spans: try recording.spans().findings)
      let damage = (events.damage + truth.damage).filter { $0.total > 0 }.sorted { $0.path < $1.path }
      var standardOutput = StandardOutput()
      let title = recording.metadata.title.map { ": \($0)" } ?? ""
      for line in ["\(recording.name)\(title)"] + report.lines() { try standardOutput.line(line) }
      for warning in recording.warnings { try standardOutput.line("  " + warning) }
      for line in DamageWords.lines(damage) { try standardOutput.line("  " + line) }
    }
  }
}
