import Datasets
import JSONText
import SensorData

/// How many events of each kind a run read.
package struct EventCounts {
  /// Inertial samples.
  package private(set) var imu = 0
  /// Camera frames.
  package private(set) var frames = 0
  /// Timestamps of those of the first camera; frames of other cameras belong to them.
  package private(set) var frameTimes: [Timestamp] = []
  /// Poses of external odometry.
  package private(set) var odometry = 0
  /// Ranges.
  package private(set) var ranges = 0
  /// Everything else.
  package private(set) var device = 0

  /// Counts of nothing.
  package init() {}

  /// Counts one more.
  package mutating func add(_ event: SensorEvent) {
    switch event {
    case .imu: imu += 1
    case .frame(let frame):
      frames += 1
      if frame.camera == 0 { frameTimes.append(frame.timestamp) }
    case .odometry: odometry += 1
    case .range: ranges += 1
    case .device: device += 1
    }
  }

  /// As in `result.json`.
  package var json: JSONValue {
    [
      "imu": .integer(imu), "frames": .integer(frames), "odometry": .integer(odometry), "ranges": .integer(ranges),
      "events": .integer(device),
    ]
  }
}
