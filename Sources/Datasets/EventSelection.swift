import SensorData

/// Which events of a recording or a stream a run is to see.
package struct EventSelection: Sendable {
  private let peer: String?
  private let start: Timestamp
  private let stop: Timestamp

  /// A selection by seconds after `first`, the first stamp over all sensors; nil: no limit, all peers.
  package init(from: Double?, to: Double?, peer: String?, first: Timestamp) {
    self.peer = peer
    start = Self.instant(from, after: first) ?? Timestamp(nanoseconds: .min)
    stop = Self.instant(to, after: first) ?? Timestamp(nanoseconds: .max)
  }

  /// Whether the reading ends before this event: it arrived too late.
  package func isOver(at event: TimedEvent) -> Bool { event.arrival > stop }

  /// Whether an event is wanted. Measurements before `from` are left out, whenever they arrive.
  package func includes(_ event: SensorEvent) -> Bool {
    guard event.timestamp >= start else { return false }
    guard let peer else { return true }
    switch event {
    case .range(let range): return range.peer == peer
    case .device(let device): return device.peer == nil || device.peer == peer
    default: return true
    }
  }

  /// Seconds after the first stamp; clamped to the clock's range.
  private static func instant(_ seconds: Double?, after first: Timestamp) -> Timestamp? {
    guard let seconds, !seconds.isNaN else { return nil }
    return first.advanced(bySeconds: min(max(seconds, -4e9), 4e9))
  }
}
