import Datasets
import JSONText
import PrecisionFinding
import SensorData

/// The peer at which the device points at a time, from the updates of a run until then.
package struct Pointing {
  /// A peer and its last direction.
  package struct Entry: Equatable, Sendable {
    package var peer: String
    /// Angle from the axis of the back camera, radians: of the direction, else of the horizontal angle alone; nil
    /// without either.
    package var angle: Double?
    /// Metres.
    package var distance: Double?
  }

  /// Every peer with updates, nearest to the axis first; those without an angle last, by name.
  package var entries: [Entry] {
    seen.values.sorted { ($0.angle ?? .infinity, $0.peer) < ($1.angle ?? .infinity, $1.peer) }
  }
  /// The selected peer, by `PointingQuery` with its hysteresis; nil for none.
  package var selected: String? { query.selected }

  private let end: Timestamp
  private var query = PointingQuery()
  private var seen: [String: Entry] = [:]
  private var start: Timestamp?
  private var candidates: [String: (candidate: PointingQuery.Candidate, since: Timestamp)] = [:]

  /// Nothing yet; updates after `time` are left out.
  package init(until time: Timestamp) { end = time }

  /// Processes updates in the order of the file, up to `time`.
  package init(at updates: [UpdateRecord], until time: Timestamp) {
    self.init(until: time)
    for update in updates { add(update) }
  }

  /// Processes the next update.
  package mutating func add(_ update: UpdateRecord) {
    let start = start ?? update.timestamp
    self.start = start
    guard update.timestamp <= end, let peer = update.peer else { return }
    let candidate = PointingQuery.Candidate(
      peer: peer, direction: update.direction, horizontalAngle: update.horizontalAngle?.value,
      distance: update.distance)
    candidates[peer] = candidate.map { ($0, update.timestamp) }
    // A peer without updates for longer than the query's patience has ended.
    candidates = candidates.filter { update.timestamp.seconds(since: $0.value.since) <= query.patience }
    seen[peer] = Entry(peer: peer, angle: candidate.map { abs($0.angle) }, distance: update.distance)
    _ = query.update(
      candidates.keys.sorted().map { candidates[$0]!.candidate }, at: update.timestamp.seconds(since: start))
  }

  /// As JSON.
  var json: JSONValue {
    [
      "pointedAt": .string(selected),
      "peers": .array(
        entries.map { ["peer": .string($0.peer), "offAxis": .number($0.angle), "distance": .number($0.distance)] }),
    ]
  }
}
