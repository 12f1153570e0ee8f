import SensorData

/// Source of a device's events: a recording, a simulation, a live sensor.
public protocol SensorEventSource {
  /// The next event in order of arrival; nil at the end.
  mutating func next() throws -> TimedEvent?
}

/// A source of events in memory.
public struct EventList: SensorEventSource, Sendable {
  private let events: [TimedEvent]
  private var position = 0

  /// A source of these events, which are in order of arrival.
  public init(_ events: [TimedEvent]) { self.events = events }

  /// The next event; nil at the end.
  public mutating func next() -> TimedEvent? {
    guard position < events.count else { return nil }
    defer { position += 1 }
    return events[position]
  }
}
