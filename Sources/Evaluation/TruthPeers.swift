import Geometry
import SensorData

/// True positions of the peers. One row means a stationary peer; between several rows the position is linear.
package struct TruthPeers: Sendable {
  let rows: [String: [GroundTruthPeer]]

  /// Positions from the rows of all peers, in any order.
  package init(_ rows: [GroundTruthPeer]) {
    self.rows = Dictionary(grouping: rows, by: \.peer).mapValues { $0.sorted { $0.timestamp < $1.timestamp } }
  }

  /// Whether there is no ground truth.
  package var isEmpty: Bool { rows.isEmpty }

  /// Position of a stationary peer, metres; nil for an unknown peer and for one that moves.
  package func stationaryPosition(of peer: String) -> Vector3? {
    guard let rows = rows[peer], rows.count == 1 else { return nil }
    return rows[0].position
  }

  /// The true position in the truth's world, metres; nil for an unknown peer, and for a moving one outside its rows.
  package func position(of peer: String, at time: Timestamp) -> Vector3? {
    guard let rows = rows[peer] else { return nil }
    if rows.count == 1 { return rows[0].position }
    guard let upper = rows.firstIndex(notBefore: time, by: \.timestamp) else { return nil }
    if rows[upper].timestamp == time { return rows[upper].position }
    guard upper > 0 else { return nil }
    let (before, after) = (rows[upper - 1], rows[upper])
    let span = after.timestamp.seconds(since: before.timestamp)
    guard span <= TruthTrajectory.longestGap else { return nil }
    return before.position + (after.position - before.position) * (time.seconds(since: before.timestamp) / span)
  }
}
