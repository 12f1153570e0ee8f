import Datasets
import Foundation
import PrecisionFinding
import SensorData

/// What a run reads: a recording's folder, or a stream of event lines.
protocol RunInput: AnyObject {
  /// The device.
  var rig: RigCalibration { get }
  /// Where the trajectory comes from.
  var trajectorySource: TrajectorySource? { get }
  /// The recording's title.
  var title: String? { get }
  /// Absolute path of the recording's folder; nil for a stream.
  var path: String? { get }
  /// First stamp over all sensors.
  var firstTimestamp: Timestamp { get }
  /// Seconds from the first stamp to the last; nil where it is not known yet.
  var length: Double? { get }
  /// Whether the next event is at hand, without waiting.
  var isReady: Bool { get }
  /// The next event, in order of arrival; nil at the end.
  func next() throws -> TimedEvent?
  /// Whether there are events behind the end of the reading.
  var stoppedEarly: Bool { get }
  /// Rows read and skipped.
  var damage: [FileDamage] { get }
  /// Returns warnings that were not yet taken.
  func takeWarnings() -> [String]
}

/// A recording's folder.
final class FolderInput: RunInput {
  let recording: Recording
  private let events: EventReader
  private var warnings: [String]
  let path: String?
  let length: Double?

  /// Opens a folder.
  init(_ recording: Recording) throws {
    self.recording = recording
    path = recording.path
    length = try recording.lastTimestamp().seconds(since: recording.firstTimestamp)
    events = try recording.events()
    warnings = recording.warnings
  }

  var rig: RigCalibration { recording.rig }
  var trajectorySource: TrajectorySource? { recording.trajectorySource }
  var title: String? { recording.metadata.title }
  var firstTimestamp: Timestamp { recording.firstTimestamp }
  var isReady: Bool { true }
  func next() throws -> TimedEvent? { try events.next() }
  var stoppedEarly: Bool { events.stoppedEarly }
  var damage: [FileDamage] { events.damage }

  func takeWarnings() -> [String] {
    defer { warnings = [] }
    return warnings
  }
}
