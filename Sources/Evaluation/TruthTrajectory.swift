import Geometry
import SensorData

/// The true trajectory as a function of time: linear and slerp between rows.
package struct TruthTrajectory: Sendable {
  /// Rows further apart than this have a gap between them, in which there is no truth, seconds.
  package static let longestGap = 1.0

  private let rows: [GroundTruthState]

  /// A trajectory from its rows, in any order.
  package init(_ rows: [GroundTruthState]) {
    // Sorted rows, as in files, are shared and not copied: an hour of them is the largest thing in memory.
    let isSorted = zip(rows, rows.dropFirst()).allSatisfy { $0.timestamp <= $1.timestamp }
    self.rows = isSorted ? rows : rows.sorted { $0.timestamp < $1.timestamp }
  }

  /// Whether there is no ground truth.
  package var isEmpty: Bool { rows.isEmpty }

  /// The time of the first row that is not before a time; nil after the last. O(log n).
  func firstTime(notBefore time: Timestamp) -> Timestamp? {
    rows.firstIndex(notBefore: time, by: \.timestamp).map { rows[$0].timestamp }
  }

  /// The true pose at a time; nil outside the rows and in a gap. O(log n).
  package func worldFromBody(at time: Timestamp) -> Pose? {
    guard let upper = rows.firstIndex(notBefore: time, by: \.timestamp) else { return nil }
    if rows[upper].timestamp == time { return rows[upper].worldFromBody }
    guard upper > 0 else { return nil }
    let (before, after) = (rows[upper - 1], rows[upper])
    let span = after.timestamp.seconds(since: before.timestamp)
    guard span <= Self.longestGap else { return nil }
    return before.worldFromBody.interpolated(
      to: after.worldFromBody, fraction: time.seconds(since: before.timestamp) / span)
  }
}

extension Array {
  /// The first element of this sorted array whose time is not before `time`. O(log n).
  func firstIndex(notBefore time: Timestamp, by key: (Element) -> Timestamp) -> Int? {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if key(self[middle]) < time { low = middle + 1 } else { high = middle }
    }
    return low < count ? low : nil
  }
}
