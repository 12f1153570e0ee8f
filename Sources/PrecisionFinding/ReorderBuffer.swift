import SensorData

/// Puts late events in order: holds each for the reorder window, then releases them in time order.
///
/// A pure state machine: its clock is the arrival stamps of the events themselves.
package struct ReorderBuffer {
  private let window: Int64
  private var held: [SensorEvent] = []
  private var released = Timestamp(nanoseconds: .min)
  /// The newest stamp or arrival so far.
  package private(set) var clock = Timestamp(nanoseconds: .min)

  package init(window seconds: Double) {
    window = Int64((min(max(seconds, 0), 1e9) * 1e9).rounded())
  }

  /// What became of an event.
  package enum Insertion: Equatable, Sendable {
    /// It is held.
    case held
    /// It is too late to be put in order.
    case late
    /// The same event is held already: a duplicated message is no second measurement.
    case duplicate
    /// A number in it is NaN or infinite; then its stamps are not trusted either.
    case notFinite
  }

  /// Inserts an event.
  package mutating func insert(_ timed: TimedEvent) -> Insertion {
    guard timed.event.isFinite else { return .notFinite }
    clock = max(clock, timed.arrival, timed.event.timestamp)
    guard timed.event.timestamp >= released else { return .late }
    // Nearly always the newest: search from the end.
    var position = held.count
    while position > 0, precedes(timed.event, held[position - 1]) { position -= 1 }
    var twin = position - 1
    while twin >= 0, held[twin].timestamp == timed.event.timestamp {
      if held[twin] == timed.event { return .duplicate }
      twin -= 1
    }
    held.insert(timed.event, at: position)
    return .held
  }

  /// Events that nothing can precede any more, in time order.
  package mutating func release() -> [SensorEvent] {
    guard clock.nanoseconds > .min else { return [] }
    return release(upTo: clock.advanced(byNanoseconds: -window))
  }

  /// Everything that is held, in time order: the recording has ended.
  package mutating func flush() -> [SensorEvent] { release(upTo: Timestamp(nanoseconds: .max)) }

  private mutating func release(upTo limit: Timestamp) -> [SensorEvent] {
    let count = held.firstIndex { $0.timestamp > limit } ?? held.count
    guard count > 0 else { return [] }
    let ready = Array(held[..<count])
    held.removeFirst(count)
    released = ready.last!.timestamp
    return ready
  }

  private func precedes(_ a: SensorEvent, _ b: SensorEvent) -> Bool {
    if a.timestamp != b.timestamp { return a.timestamp < b.timestamp }
    if a.rank != b.rank { return a.rank < b.rank }
    if case .range(let x) = a, case .range(let y) = b { return (x.peer, x.antenna ?? "") < (y.peer, y.antenna ?? "") }
    if case .frame(let x) = a, case .frame(let y) = b { return x.camera < y.camera }
    return false
  }
}
