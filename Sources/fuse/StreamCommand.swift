import ArgumentParser
import Datasets
import Foundation
import FuseCaptureFormat
import RunResults
import SensorData
import Wording

/// `fuse stream <folder>`.
struct StreamCommand: ParsableCommand {
  /// How fast lines leave.
  enum Pace: String, CaseIterable, ExpressibleByArgument {
    case fast, real
  }

  static let configuration = CommandConfiguration(
    commandName: "stream",
    abstract: "Prints a recording as event lines, in order of arrival.",
    discussion: """
      One JSON object a line: a header, measurements, an end (docs/event-lines.md). Images are tracked on the way. \
      'fuse run -' and the service read these lines; their updates are those of 'fuse run' on the folder.

      EXAMPLES
        fuse stream datasets/demo | fuse run - -o out
        fuse stream datasets/demo --pace real | fuse run - --format jsonl
      """)

  @Argument(help: "The recording.")
  var folder: String

  @Option(help: "fast, or real: as fast as it was recorded, by arrival.")
  var pace: Pace = .fast

  @Option(help: "With --pace real: times as fast.")
  var speed = 1.0

  @Flag(help: "Take the trajectory from odometry0 even if IMU and camera are there.")
  var odometry = false

  func validate() throws {
    guard speed > 0, speed <= 1000 else { throw ValidationError("--speed must be above 0 and at most 1000.") }
    if folder.isEmpty { throw ValidationError("A folder needs a name.") }
  }

  func run() throws {
    try Failure.reporting {
      let recording = try Recording.open(
        URL(fileURLWithPath: folder), options: RunOptions(forcesOdometry: odometry).reading)
      let events = try recording.events()
      var writer = EventLineWriter()
      var output = StandardOutput()
      var pacer = pace == .real ? Pacer(speed: speed) : nil
      writer.begin(StreamHeader(recording))
      while let event = try events.next() {
        if let wait = pacer?.wait(until: event.arrival) {
          try output.write(writer.drain())
          try output.flush()
          wait()
        }
        writer.add(event.event, arrival: event.arrival)
        if writer.count >= 1 << 14 { try output.write(writer.take()) }
      }
      writer.end()
      try output.write(writer.drain())
      try output.flush()
      for line in recording.warnings + DamageWords.lines(events.damage) {
        StandardError.warn(line)
      }
    }
  }
}

/// Waits so that events leave at the pace of their arrivals.
struct Pacer {
  private var began: (wall: UInt64, arrival: Timestamp)?
  private let speed: Double

  /// Real time, or `speed` times it.
  init(speed: Double = 1) { self.speed = speed }

  /// What waits until an arrival is due; nil where it is due already. Sleeps below 5 ms are saved up.
  mutating func wait(until arrival: Timestamp) -> (() -> Void)? {
    let now = DispatchTime.now().uptimeNanoseconds
    guard let began else {
      self.began = (now, arrival)
      return nil
    }
    let due = arrival.seconds(since: began.arrival) / speed
    let left = due - Double(now - began.wall) * 1e-9
    guard left > 0.005 else { return nil }
    return { Thread.sleep(forTimeInterval: left) }
  }
}
