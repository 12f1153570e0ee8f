import ArgumentParser
import Datasets
import Foundation
import Geometry
import JSONText
import Report

/// `fuse diff <run A> <run B>`.
struct DiffCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "What changed between two runs of one recording.",
    discussion: """
      Compares updates by timestamp and peer, poses by timestamp. Exit code 0 when nothing changed, 1 when something \
      did, for golden recordings in CI. As HTML: the report of both runs, the worse first, with what changed.

      EXAMPLES
        fuse diff golden new
        fuse run phone -o new --quiet && fuse diff golden new --angle 0.5 --distance 0.02
        fuse diff golden new --format json | jq .changes
        fuse diff golden new --format html > changes.html
      """)

  enum Format: String, ExpressibleByArgument, CaseIterable { case text, json, html }

  @Argument(help: "The output folder of the run before.")
  var before: String

  @Argument(help: "The output folder of the run after.")
  var after: String

  @Option(help: ArgumentHelp("Changes of angles up to this many degrees count as none.", valueName: "degrees"))
  var angle = 0.0

  @Option(help: ArgumentHelp("Changes of distances and positions up to this count as none.", valueName: "m"))
  var distance = 0.0

  @Option(help: "Output format: text, json or html.")
  var format = Format.text

  @Flag(help: "Read an output folder even if its files are not those of one run.")
  var unverified = false

  func validate() throws {
    for (name, value) in [("--angle", angle), ("--distance", distance)] where !(value >= 0 && value.isFinite) {
      throw ValidationError("\(name) must not be negative.")
    }
  }

  func run() throws {
    try Failure.reporting {
      let difference = try RunDifference(
        before: RunFolder.named(before, isUnverified: unverified, keeping: .poses),
        after: RunFolder.named(after, isUnverified: unverified, keeping: .poses),
        tolerance: .init(distance: distance, angle: Angle.degrees(angle)))
      var standardOutput = StandardOutput()
      switch format {
      case .text: for line in DiffText.lines(difference) { try standardOutput.line(line) }
      case .json:
        var json = JSONWriter()
        json.pretty(DiffText.json(difference))
        try standardOutput.line(String(decoding: json.bytes, as: UTF8.self))
      case .html:
        try standardOutput.write(try page(difference))
        try standardOutput.flush()
      }
      if !difference.isEmpty { throw ExitCode(1) }
    }
  }

  /// The report of both runs, the worse first, with what changed.
  private func page(_ difference: RunDifference) throws -> [UInt8] {
    let names = zip(["before", "after"], ReportReading.names(of: [before, after])).map { "\($0): \($1)" }
    let inputs = try ReportReading(isUnverified: unverified, ignoresOtherRecordings: true)
      .inputs([before, after], names: names)
    return ReportPage.html(ReportPage.ordered(inputs), changes: DiffText.lines(difference))
  }
}
