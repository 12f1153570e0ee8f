import Datasets
import JSONText
import SensorData

/// Decides which measurements enter a session, by the rules of recordings: order within a stream, no key twice, known
/// antennas, no lone stamp in the future; damaged ones are counted. A pure state machine in bounded memory.
///
/// A measurement over a second ahead of all that entered waits until the next ones say whether it is an outlier or the
/// stream goes on there (`FutureStamp`): those behind it that are not ahead pass it. So a sequence in order enters
/// unchanged, and what waits enters at the end.
package struct EventAdmission: Sendable {
  /// What must not come twice at one time, as a number of 64 bits (FNV-1a): two names of one number are as good as never,
  /// and 4,096 of them are kept for each stream.
  private struct Key: Hashable, Sendable {
    private var hash: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ text: String?) {
      // A name that is there is another than none.
      for byte in (text ?? "\u{1}").utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
      hash = hash &* 0x100_0000_01B3
    }
  }

  /// A measurement that waits.
  private struct Waiting: Sendable {
    var event: TimedEvent
    var file: Int
    var judge: FutureStamp
    var isOutlier = false
  }

  /// Measurements that wait, at most.
  private static let mostWaiting = 64

  private let rig: RigCalibration
  private let usesOdometry: Bool
  private var order = ArrivalOrder()
  private var arrivals: [Int: Timestamp] = [:]
  private var seen: [LineStream: SeenKeys<Key>] = [:]
  /// The newest arrival that entered, nanoseconds.
  private var clock: Int64?
  private var waiting: [Waiting] = []
  /// Measurements that were left out, by stream and kind.
  package private(set) var damage: [LineStream: [DamageKind: Int]] = [:]
  /// Measurements seen, damaged ones included, by stream.
  package private(set) var rows: [LineStream: Int] = [:]
  /// Poses that were left out because the trajectory is not from odometry.
  package private(set) var unusedPoses = 0

  /// An admission to the session of a header.
  package init(rig: RigCalibration, usesOdometry: Bool) {
    self.rig = rig
    self.usesOdometry = usesOdometry
  }

  /// Adds to `events` those that enter by this one: none, itself, or others that waited, in their order.
  package mutating func admit(_ parsed: ParsedEvent, into events: inout [TimedEvent]) {
    switch parsed {
    case .damaged(let stream, let kind):
      rows[stream, default: 0] += 1
      count(stream, kind)
    case .event(let timed):
      let stream = timed.event.stream
      rows[stream, default: 0] += 1
      if let kind = unknown(timed.event) { return count(stream, kind) }
      let file = Self.file(timed.event, stream)
      let arrival = timed.arrival.nanoseconds
      guard FutureStamp.isSuspect(arrival, after: clock) else {
        enter(timed, file, passing: waiting.count, into: &events)
        return release(into: &events)
      }
      var isGap = false
      for index in waiting.indices {
        let verdict = waiting[index].judge.next(arrival, clock: clock, isOwn: waiting[index].file == file)
        if verdict == .gap { isGap = true }
        if verdict == .outlier { waiting[index].isOutlier = true }
      }
      waiting.append(Waiting(event: timed, file: file, judge: FutureStamp(arrival)))
      if isGap { release(into: &events) }
      if waiting.count > Self.mostWaiting { decide(into: &events) }
    }
  }

  /// Nothing more comes: what waits enters, but for what the others have left behind.
  package mutating func finish(into events: inout [TimedEvent]) { while !waiting.isEmpty { decide(into: &events) } }

  /// Lets those enter that are no longer ahead, or that others have confirmed, in their order.
  private mutating func release(into events: inout [TimedEvent]) {
    var index = 0
    while index < waiting.count {
      if waiting[index].isOutlier {
        count(waiting.remove(at: index).event.event.stream, .futureStamp)
      } else if waiting[index].judge.isGap || !FutureStamp.isSuspect(waiting[index].judge.stamp, after: clock) {
        let one = waiting.remove(at: index)
        enter(one.event, one.file, passing: index, into: &events)
        index = 0
      } else {
        index += 1
      }
    }
  }

  /// Decides about the first that waits, without waiting for more.
  private mutating func decide(into events: inout [TimedEvent]) {
    let one = waiting.removeFirst()
    if one.isOutlier || one.judge.last == .outlier {
      count(one.event.event.stream, .futureStamp)
    } else {
      enter(one.event, one.file, passing: 0, into: &events)
    }
    release(into: &events)
  }

  /// Judges by the rules of a stream; those of the first `passing` that wait came before it.
  private mutating func enter(_ timed: TimedEvent, _ file: Int, passing: Int, into events: inout [TimedEvent]) {
    let stream = timed.event.stream
    let arrival = timed.arrival.nanoseconds
    for index in 0..<passing {
      let isOwn = waiting[index].file == file
      if waiting[index].judge.next(arrival, clock: clock ?? arrival, isOwn: isOwn) == .outlier {
        waiting[index].isOutlier = true
      }
    }
    if let kind = fault(timed, stream, file) { return count(stream, kind) }
    clock = max(clock ?? arrival, arrival)
    if stream == .pose, !usesOdometry {
      unusedPoses += 1
      return
    }
    events.append(order.next(unbiased(timed)))
  }

  private mutating func count(_ stream: LineStream, _ kind: DamageKind) {
    damage[stream, default: [:]][kind, default: 0] += 1
  }

  /// A range without the bias that the header states, as readers of recordings give it.
  private func unbiased(_ timed: TimedEvent) -> TimedEvent {
    guard case .range(var range) = timed.event, let bias = rig.radio?.rangeBias else { return timed }
    range.range = max(range.range - bias.value(peer: range.peer, antenna: range.antenna), 0)
    return TimedEvent(.range(range), arrival: timed.arrival)
  }

  /// The file of a recording that it would be in, as a number.
  private static func file(_ event: SensorEvent, _ stream: LineStream) -> Int {
    let number = LineStream.allCases.firstIndex(of: stream)!
    if case .frame(let frame) = event { return number + 10 * frame.camera }
    return number
  }

  /// What the rig does not know.
  private func unknown(_ event: SensorEvent) -> DamageKind? {
    switch event {
    case .frame(let frame) where frame.camera >= rig.cameras.count: .outOfRange
    case .range(let range) where (rig.radio ?? RadioCalibration()).position(of: range.antenna) == nil: .unknownAntenna
    default: nil
    }
  }

  private mutating func fault(_ timed: TimedEvent, _ stream: LineStream, _ file: Int) -> DamageKind? {
    if let last = arrivals[file], timed.arrival < last { return .timeGoingBack }
    var key = Key()
    switch timed.event {
    case .frame(let frame): key.add("\(frame.camera)")
    case .range(let range): for name in [range.peer, range.antenna, range.technology] { key.add(name) }
    default: break
    }
    if stream != .event,
      !seen[stream, default: .init()].insert(key, time: timed.event.timestamp.nanoseconds, inTimeOrder: false)
    {
      return .duplicate
    }
    arrivals[file] = timed.arrival
    return nil
  }
}

/// One line, parsed: its structure is sound; its values may still be damaged.
package enum ParsedLine: Sendable {
  /// The first line.
  case header(JSONValue)
  /// Measurements, in the line's order, with what is wrong with those that are damaged.
  case events([ParsedEvent])
  /// The last line.
  case end
  /// Only blanks.
  case blank
}

/// A measurement of a line.
package enum ParsedEvent: Equatable, Sendable {
  /// A sound one.
  case event(TimedEvent)
  /// A damaged one, of a stream.
  case damaged(LineStream, DamageKind)
}

/// The streams of a session, as the lines name them.
package enum LineStream: String, CaseIterable, Comparable, Sendable {
  case imu, frame, pose, range, event

  package static func < (a: LineStream, b: LineStream) -> Bool { a.rawValue < b.rawValue }
}
