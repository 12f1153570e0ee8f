/// A sensor event and the moment at which it became known: late data are part of a recording.
public struct TimedEvent: Equatable, Sendable {
  /// What was measured.
  public var event: SensorEvent
  /// When it became known; equals the event's timestamp unless the recording says otherwise.
  public var arrival: Timestamp

  /// An event from its parts; without `arrival` it was known at once.
  public init(_ event: SensorEvent, arrival: Timestamp? = nil) {
    self.event = event
    self.arrival = arrival ?? event.timestamp
  }
}
