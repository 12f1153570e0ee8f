import Datasets
import NearbyInteraction
import SensorData

/// A recording's events, as a source for a device.
struct RecordingSource: SensorEventSource {
  let reader: EventReader

  /// - Throws: `RecordingError` for damage beyond what may be skipped.
  mutating func next() throws -> TimedEvent? {
    do { return try reader.next() } catch { throw RecordingError("\(error)") }
  }
}
