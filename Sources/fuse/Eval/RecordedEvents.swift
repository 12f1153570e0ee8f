import Datasets
import SensorData

/// The events of a recording in order of arrival, optionally with other ranges instead of its own.
final class RecordedEvents {
  private let reader: EventReader
  private let replacesRanges: Bool
  private var others: ArraySlice<TimedEvent>
  private var head: TimedEvent?

  /// Opens the recording; `ranges`, in order of arrival, replace its own.
  ///
  /// - Throws: `DatasetError`.
  init(_ recording: Recording, ranges: [TimedEvent]?) throws {
    reader = try recording.events()
    replacesRanges = ranges != nil
    others = (ranges ?? [])[...]
    head = try nextRecorded()
  }

  /// Rows read and skipped so far, per file, sorted by path.
  var damage: [FileDamage] { reader.damage }

  /// Whether the recording continues after the end of the reading.
  var stoppedEarly: Bool { reader.stoppedEarly }

  /// The next event; nil at the end.
  ///
  /// - Throws: `DatasetError`.
  func next() throws -> TimedEvent? {
    if let range = others.first, head.map({ Self.key(range) < Self.key($0) }) ?? !stoppedEarly {
      others.removeFirst()
      return range
    }
    guard let event = head else { return nil }
    head = try nextRecorded()
    return event
  }

  private func nextRecorded() throws -> TimedEvent? {
    while let event = try reader.next() {
      if replacesRanges, case .range = event.event { continue }
      return event
    }
    return nil
  }

  private static func key(_ event: TimedEvent) -> (Timestamp, Timestamp, Int) {
    (event.arrival, event.event.timestamp, event.event.rank)
  }
}
