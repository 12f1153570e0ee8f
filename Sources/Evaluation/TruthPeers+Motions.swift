import Geometry
import SensorData

extension TruthPeers {
  /// A peer slower than this is stationary, m/s.
  static let stationarySpeed = 0.2
  /// A pause shorter than this does not end a motion, seconds.
  static let shortestPause = 1.0

  /// The intervals in which a peer truly moves, in time order; none for a stationary or unknown one.
  package func motions(of peer: String) -> [ClosedRange<Timestamp>] {
    guard let rows = rows[peer], rows.count > 1 else { return [] }
    var motions: [ClosedRange<Timestamp>] = []
    for (before, after) in zip(rows, rows.dropFirst()) {
      let span = after.timestamp.seconds(since: before.timestamp)
      guard span > 0, (after.position - before.position).norm > Self.stationarySpeed * span else { continue }
      if let last = motions.last, before.timestamp.seconds(since: last.upperBound) < Self.shortestPause {
        motions[motions.count - 1] = last.lowerBound...after.timestamp
      } else {
        motions.append(before.timestamp...after.timestamp)
      }
    }
    return motions
  }
}
