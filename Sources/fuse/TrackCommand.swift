import ArgumentParser
import Datasets
import Foundation
import RunResults
import SensorData

/// `fuse track <folder>`.
struct TrackCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "track",
    abstract: "Makes tracks from a recording's images, once and for all.",
    discussion: """
      Writes features.csv and frames.csv beside the images of cam0 (and of cam1, where both see the same moments); \
      runs need no images then. 'fuse run' does the same on the way where there are no tracks, with the same results.

      EXAMPLES
        fuse track MH_01_easy
        fuse track MH_01_easy --overlay look      pictures of the tracks, to look at before trusting them
        fuse track phone --force                  in place of the tracks that are there
      """)

  @Argument(help: "The recording: a folder in EuRoC's layout with images.")
  var folder: String

  @Flag(help: "Replace the tracks that are there.")
  var force = false

  @Option(help: ArgumentHelp("Put pictures of the tracks into this folder; writes no tracks.", valueName: "dir"))
  var overlay: String?

  @Option(help: ArgumentHelp("A picture every so often, seconds.", valueName: "s"))
  var every = 1.0

  @Flag(help: "Read and decode images on the same thread; the results are the same.")
  var sequential = false

  @Flag(help: "Any damage of the recording ends it.")
  var strict = false

  @Flag(help: "Say nothing.")
  var quiet = false

  func validate() throws {
    if !(every >= 0 && every <= 1e6) { throw ValidationError("--every must be from 0 to 1e6 seconds.") }
  }

  func run() throws {
    try Failure.reporting {
      let options = ReadingOptions(
        strict: strict, usesOdometry: false, needsTrajectory: false,
        tracking: .frontEnd(readsAhead: !sequential, ignoresTracks: true))
      let recording = try Recording.open(URL(fileURLWithPath: folder), options: options)
      guard recording.trackedCameras > 0 else {
        throw CommandError("\(folder)/mav0/cam0: found no images, expected data.csv and the folder data")
      }
      if recording.hasTracks, !force, overlay == nil {
        throw CommandError("\(folder): found tracks already, expected none, or --force to replace them")
      }
      if let overlay {
        try TrackOverlay(recording, into: overlay, every: every, isQuiet: quiet).run()
      } else {
        try track(recording)
      }
    }
  }

  private func track(_ recording: Recording) throws {
    let began = DispatchTime.now().uptimeNanoseconds
    let writer = try TrackWriter(recording)
    var summary = TrackSummary()
    let span = try recording.lastTimestamp().seconds(since: recording.firstTimestamp)
    var progress = ProgressLine(span: span, isQuiet: quiet)
    let events = try recording.events()
    while let event = try events.next() {
      guard case .frame(let frame) = event.event else { continue }
      try writer.write(frame, arrival: event.arrival)
      summary.add(frame)
      progress.show(frame.timestamp.seconds(since: recording.firstTimestamp))
    }
    progress.erase()
    let changed = try writer.commit()
    guard !quiet else { return }
    for line in recording.warnings + DamageWords.lines(events.damage) {
      StandardError.warn(line)
    }
    var output = StandardOutput()
    for line in summary.lines { try output.line(line) }
    for line in changed { try output.line(line) }
    let seconds = Double(DispatchTime.now().uptimeNanoseconds - began) * 1e-9
    try output.line(
      "written beside the images: \(Words.fixed(span, 1)) s of recording in \(Words.fixed(seconds, 1)) s, "
        + "\(Words.fixed(span / max(seconds, 1e-9), 0)) x real time")
  }
}
