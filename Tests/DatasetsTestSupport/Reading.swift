import Datasets
import SensorData

/// All events of a recording, for tests.
package struct Reading {
  package var events: [TimedEvent] = []
  package var damage: [FileDamage] = []

  package init(_ recording: Recording) throws {
    let reader = try recording.events()
    while let event = try reader.next() { events.append(event) }
    damage = reader.damage
  }

  package var imu: [IMUSample] { events.compactMap { if case .imu(let sample) = $0.event { sample } else { nil } } }
  package var frames: [CameraFrame] {
    events.compactMap { if case .frame(let frame) = $0.event { frame } else { nil } }
  }
  package var ranges: [RangeMeasurement] {
    events.compactMap { if case .range(let range) = $0.event { range } else { nil } }
  }
  package var poses: [OdometryPose] {
    events.compactMap { if case .odometry(let pose) = $0.event { pose } else { nil } }
  }
  package var device: [DeviceEvent] {
    events.compactMap { if case .device(let event) = $0.event { event } else { nil } }
  }

  /// The skipped rows of one file.
  package func counts(_ path: String) -> [DamageKind: Int] { damage.first { $0.path == path }?.counts ?? [:] }
}

extension Fixture {
  /// Opens the folder; it lives as long as the fixture.
  package func open(_ options: ReadingOptions = ReadingOptions()) throws -> Recording {
    try withExtendedLifetime(self) { try Recording.open(folder, options: options) }
  }

  /// Reads the folder to its end.
  package func read(_ options: ReadingOptions = ReadingOptions()) throws -> Reading {
    try withExtendedLifetime(self) { try Reading(Recording.open(folder, options: options)) }
  }
}
