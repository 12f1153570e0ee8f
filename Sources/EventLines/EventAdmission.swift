import Datasets
import SensorData

/// Decides which measurements enter a session, by the rules of recordings: order within a stream, no key twice, known
/// antennas; damaged ones are counted. A pure state machine in bounded memory.
package struct EventAdmission: Sendable {
  private struct Key: Hashable, Sendable {
    var camera = 0
    var peer = ""
    var antenna: String?
    var technology: String?
  }

  private let rig: RigCalibration
  private let usesOdometry: Bool
  private var order = ArrivalOrder()
  private var arrivals: [Int: Timestamp] = [:]
  private var seen: [LineStream: SeenKeys<Key>] = [:]
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

  /// The event as it enters, or nil where it is left out.
  package mutating func admit(_ parsed: ParsedEvent) -> TimedEvent? {
    switch parsed {
    case .damaged(let stream, let kind):
      rows[stream, default: 0] += 1
      damage[stream, default: [:]][kind, default: 0] += 1
      return nil
    case .event(let timed):
      let stream = timed.event.stream
      rows[stream, default: 0] += 1
      if let kind = fault(timed, stream) {
        damage[stream, default: [:]][kind, default: 0] += 1
        return nil
      }
      if stream == .pose, !usesOdometry {
        unusedPoses += 1
        return nil
      }
      return order.next(unbiased(timed))
    }
  }

  /// A range without the bias that the header states, as readers of recordings give it.
  private func unbiased(_ timed: TimedEvent) -> TimedEvent {
    guard case .range(var range) = timed.event, let bias = rig.radio?.rangeBias else { return timed }
    range.range = max(range.range - bias.value(peer: range.peer, antenna: range.antenna), 0)
    return TimedEvent(.range(range), arrival: timed.arrival)
  }

  private mutating func fault(_ timed: TimedEvent, _ stream: LineStream) -> DamageKind? {
    var key = Key()
    var file = LineStream.allCases.firstIndex(of: stream)!
    switch timed.event {
    case .frame(let frame):
      key.camera = frame.camera
      file += 10 * frame.camera
      if frame.camera >= rig.cameras.count { return .outOfRange }
    case .range(let range):
      (key.peer, key.antenna) = (range.peer, range.antenna)
      if (rig.radio ?? RadioCalibration()).position(of: range.antenna) == nil { return .unknownAntenna }
    default: break
    }
    if let last = arrivals[file], timed.arrival < last { return .timeGoingBack }
    if stream != .event,
      !seen[stream, default: .init()].insert(key, time: timed.event.timestamp.nanoseconds, inTimeOrder: false)
    {
      return .duplicate
    }
    arrivals[file] = timed.arrival
    return nil
  }
}
