import Geometry
import SensorData

extension TruthPeers {
  /// A peer that moves slower than this stands, m/s.
  static let standingSpeed = 0.2
  /// A pause shorter than this is none, seconds.
  static let shortestPause = 1.0

  /// The stretches in which a peer truly moves, in time order; none for one that rests or is unknown.
  package func walks(of peer: String) -> [ClosedRange<Timestamp>] {
    guard let rows = rows[peer], rows.count > 1 else { return [] }
    var walks: [ClosedRange<Timestamp>] = []
    for (before, after) in zip(rows, rows.dropFirst()) {
      let span = after.timestamp.seconds(since: before.timestamp)
      guard span > 0, (after.position - before.position).norm > Self.standingSpeed * span else { continue }
      if let last = walks.last, before.timestamp.seconds(since: last.upperBound) < Self.shortestPause {
        walks[walks.count - 1] = last.lowerBound...after.timestamp
      } else {
        walks.append(before.timestamp...after.timestamp)
      }
    }
    return walks
  }
}
