import Datasets
import PrecisionFinding
import SensorData

/// At which of several peers the device pointed at a moment, from what a run wrote until then.
package struct Pointing {
  /// A peer and where it was seen last.
  package struct Entry: Equatable, Sendable {
    package var peer: String
    /// Radians off the axis of the back camera, by the direction, or in the plane alone where only the angle is known; nil: neither is.
    package var angle: Double?
    /// Metres.
    package var distance: Double?
  }

  /// Every peer that was heard, nearest to the axis first; those whose angle is not known last, by name.
  package let entries: [Entry]
  /// Who is pointed at, by `PointingQuery` with its hysteresis; nil for nobody.
  package let selected: String?

  /// Follows updates in the order of the file, up to `time`.
  package init(at updates: [UpdateRecord], until time: Timestamp) {
    var query = PointingQuery()
    var seen: [String: Entry] = [:]
    let start = updates.first?.timestamp ?? time
    var candidates: [String: (candidate: PointingQuery.Candidate, since: Timestamp)] = [:]
    for update in updates where update.timestamp <= time {
      guard let peer = update.peer else { continue }
      let candidate = PointingQuery.Candidate(
        peer: peer, direction: update.direction, horizontalAngle: update.horizontalAngle?.value,
        distance: update.distance)
      candidates[peer] = candidate.map { ($0, update.timestamp) }
      // One that is silent for longer than the query's patience has ended.
      candidates = candidates.filter { update.timestamp.seconds(since: $0.value.since) <= query.patience }
      seen[peer] = Entry(peer: peer, angle: candidate.map { abs($0.angle) }, distance: update.distance)
      _ = query.update(
        candidates.keys.sorted().map { candidates[$0]!.candidate }, at: update.timestamp.seconds(since: start))
    }
    selected = query.selected
    entries = seen.values.sorted { ($0.angle ?? .infinity, $0.peer) < ($1.angle ?? .infinity, $1.peer) }
  }

  /// For programs.
  var json: JSONValue {
    [
      "pointedAt": .string(selected),
      "peers": .array(
        entries.map { ["peer": .string($0.peer), "offAxis": .number($0.angle), "distance": .number($0.distance)] }),
    ]
  }
}
