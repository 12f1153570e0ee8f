import SensorData

/// Makes the order of lines the order of arrival: an event never arrives before those in front of it.
///
/// A recording is read by arrival, then time, then kind (`EventReader`). An event that would sort before its
/// predecessor gets the predecessor's arrival, or one nanosecond more where the tie would go the other way; so a session
/// and the recording made of it are the same sequence. Streams from recordings are in order and pass unchanged.
package struct ArrivalOrder: Sendable {
  private var last: TimedEvent?

  /// An order without events.
  package init() {}

  /// The next event, arriving no sooner than the last.
  package mutating func next(_ event: TimedEvent) -> TimedEvent {
    var event = event
    if let last {
      event.arrival = max(event.arrival, last.arrival)
      if event.arrival == last.arrival, precedes(event.event, last.event) {
        event.arrival = event.arrival.advanced(byNanoseconds: 1)
      }
    }
    // What the order needs of the last event; not its features.
    last = event
    return event
  }

  private func precedes(_ a: SensorEvent, _ b: SensorEvent) -> Bool {
    if a.timestamp != b.timestamp { return a.timestamp < b.timestamp }
    if a.rank != b.rank { return a.rank < b.rank }
    if case .frame(let x) = a, case .frame(let y) = b { return x.camera < y.camera }
    return false
  }
}
