/// A sensor event and its arrival time; recordings may contain late data.
public struct TimedEvent: Equatable, Sendable {
  /// What was measured.
  public var event: SensorEvent
  /// Arrival time; equals the event's timestamp unless the recording specifies another.
  public var arrival: Timestamp

  /// An event from its parts; without `arrival` it arrived at its timestamp.
  public init(_ event: SensorEvent, arrival: Timestamp? = nil) {
    self.event = event
    self.arrival = arrival ?? event.timestamp
  }
}
