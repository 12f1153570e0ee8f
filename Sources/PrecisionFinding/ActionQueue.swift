import Foundation
import SensorData

/// An action of a finder, performed at its time, once the motion up to then is known.
package enum FinderAction {
  case frame(CameraFrame, at: Timestamp)
  case range(RangeMeasurement)
  case device(DeviceEvent)
  case pose(Timestamp)
  case tick(Timestamp)

  package var time: Timestamp {
    switch self {
    case .frame(_, let time): time
    case .range(let range): range.timestamp
    case .device(let event): event.timestamp
    case .pose(let time), .tick(let time): time
    }
  }
}

/// Actions in the order of their times, the regular updates ("ticks") among them.
///
/// A pure state machine: its clock is the stamp of the newest event.
package struct ActionQueue {
  /// Between two ticks, nanoseconds.
  private let interval: Int64
  /// Largest delay of frames' stamps after their exposure, seconds.
  private let frameLag: Double
  private var actions: [FinderAction] = []
  private var clock = Timestamp(nanoseconds: .min)
  /// Nil before the first range.
  private var nextTick: Timestamp?
  private var silence = SilenceAllowance()

  /// - Parameters: `updateInterval` between ticks and `frameLag` in seconds.
  package init(updateInterval: Double, frameLag: Double) {
    interval = Int64((min(max(updateInterval, 0.001), 1e9) * 1e9).rounded())
    self.frameLag = frameLag
  }

  /// Moves the clock to the next event and inserts the ticks before it, as far as the silence is filled (`SilenceAllowance`); they resume with that event.
  package mutating func advance(to time: Timestamp) {
    defer { clock = time }
    guard nextTick != nil else { return }
    let gap = time.seconds(since: clock), filled = silence.take(gap)
    let last = filled < gap ? clock.advanced(bySeconds: filled) : time
    while let tick = nextTick, tick < time, tick <= last {
      insert(.tick(tick))
      nextTick = tick.advanced(byNanoseconds: interval)
    }
    if let tick = nextTick, tick < time { nextTick = firstTick(after: time) }
  }

  /// Inserts an action in time order: a frame whose camera clock is behind follows ranges that are stamped later. The first range begins the ticks.
  package mutating func insert(_ action: FinderAction) {
    if case .range(let range) = action, nextTick == nil { nextTick = firstTick(after: range.timestamp) }
    var position = actions.count
    while position > 0, actions[position - 1].time > action.time { position -= 1 }
    actions.insert(action, at: position)
  }

  private func firstTick(after time: Timestamp) -> Timestamp {
    let remainder = time.nanoseconds % interval
    return time.advanced(byNanoseconds: remainder > 0 ? interval - remainder : -remainder)
  }

  /// Performs the actions that are due, in order.
  ///
  /// They wait at most half a second for motion data; after that there is only a distance. A frame whose camera clock is
  /// ahead is stamped late: until it can no longer come, the filter must not advance.
  ///
  /// - Parameters:
  ///   - hasEnded: nothing follows: all are due.
  ///   - covers: whether the motion up to a time is known.
  package mutating func drain(hasEnded: Bool, covers: (Timestamp) -> Bool, _ perform: (FinderAction) -> Void) {
    var done = 0
    while done < actions.count, hasEnded || isDue(actions[done].time, covers) {
      perform(actions[done])
      done += 1
    }
    actions.removeFirst(done)
  }

  private func isDue(_ time: Timestamp, _ covers: (Timestamp) -> Bool) -> Bool {
    let waited = clock.seconds(since: time) - frameLag
    return waited >= 0 && (covers(time) || waited > 0.5)
  }
}

/// How much of the time without events is filled with regular updates.
///
/// Stamps may be wrong by any factor, and a damaged one may lie years ahead: without a bound a table of some kilobytes
/// makes hundreds of megabytes of updates that say the same. With `a` the seconds that may be filled, an event after a
/// silence of `s` seconds fills `min(s, a)` and leaves `a <- min(a - min(s, a) + 2, 600)`. So ten minutes are filled whole,
/// a stream with an event every two seconds is never cut, and `n` events fill at most `600 + 2 n` seconds.
private struct SilenceAllowance {
  /// Most seconds that are filled in one piece.
  private static let most = 600.0
  /// Seconds that an event adds.
  private static let perEvent = 2.0

  private var seconds = most

  /// The seconds to fill of a silence before the next event.
  mutating func take(_ silence: Double) -> Double {
    let filled = min(max(silence, 0), seconds)
    seconds = min(seconds - filled + Self.perEvent, Self.most)
    return filled
  }
}

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
