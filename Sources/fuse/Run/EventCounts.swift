import Datasets
import SensorData

/// How many events of each kind a run read.
struct EventCounts {
  /// Inertial samples.
  private(set) var imu = 0
  /// Camera frames.
  private(set) var frames = 0
  /// Poses of another tracker.
  private(set) var odometry = 0
  /// Ranges.
  private(set) var ranges = 0
  /// Everything else.
  private(set) var device = 0

  /// Ranges that came with an angle of arrival.
  private(set) var angles = 0

  /// What was read and did not help, in words.
  var unused: [String] {
    var words: [String] = []
    if angles > 0 { words.append("\(angles) angles of arrival were read but are not used yet") }
    return words
  }

  /// Counts one more.
  mutating func note(_ event: SensorEvent) {
    switch event {
    case .imu: imu += 1
    case .frame:
      frames += 1
    case .odometry: odometry += 1
    case .range(let range):
      ranges += 1
      if range.azimuth != nil || range.elevation != nil { angles += 1 }
    case .device: device += 1
    }
  }

  /// As `result.json` tells them.
  var json: JSONValue {
    [
      "imu": .integer(imu), "frames": .integer(frames), "odometry": .integer(odometry), "ranges": .integer(ranges),
      "events": .integer(device),
    ]
  }
}
