import Datasets
import SensorData

#if !ONE_MODULE
  import NearbySessions
#endif

/// Source of a recording's events for a device.
struct RecordingSource: SensorEventSource {
  let reader: EventReader

  /// - Throws: `RecordingError` for damage that cannot be skipped.
  mutating func next() throws -> TimedEvent? {
    do { return try reader.next() } catch { throw RecordingError("\(error)") }
  }
}
