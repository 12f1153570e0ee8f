import SensorData

/// Which events of a recording a run sees: a span of time and perhaps one peer.
///
/// The span ends at the first event that became known too late for it. So a shorter run sees exactly the first events of
/// a longer one, and what comes out of it is a prefix of what comes out of the longer one.
struct EventGate {
  /// What to do with an event.
  enum Verdict {
    case take, skip, end
  }

  private let first: Timestamp?
  private let last: Timestamp?
  private let peer: String?
  /// Ranges seen, per peer, the unwanted ones included.
  private(set) var ranges: [String: Int] = [:]
  /// Events taken.
  private(set) var taken = 0

  /// A gate for a recording that begins at `start`.
  init(options: RunOptions, start: Timestamp) {
    first = options.from.map { start.advanced(bySeconds: $0) }
    last = options.to.map { start.advanced(bySeconds: $0) }
    peer = options.peer
  }

  /// Judges the next event in arrival order.
  mutating func judge(_ event: TimedEvent) -> Verdict {
    if let last, event.arrival > last { return .end }
    if let first, event.event.timestamp < first { return .skip }
    if case .range(let range) = event.event {
      ranges[range.peer, default: 0] += 1
      if let peer, range.peer != peer { return .skip }
    }
    taken += 1
    return .take
  }
}
