import SensorData

/// What was said of a peer while it truly walked.
package struct MovingPeerErrors: Equatable, Sendable {
  /// Walks that began while the status was `converged`: seconds from each beginning to the first update that took it back, for ever
  /// where the walk ended before.
  package var noticedAfter: [Double] = []
  /// Updates while it walked, and how many of these had an interval of the angle.
  package var judged = 0
  package var intervals = 0
  /// Intervals among them that contain the true angle.
  package var intervalsContainingTruth = 0

  private let walks: [ClosedRange<Timestamp>]

  /// Nothing judged yet.
  package init(walks: [ClosedRange<Timestamp>]) { self.walks = walks }

  /// Notes when each walk was noticed; updates in time order.
  mutating func note(_ updates: [JudgedUpdate]) {
    noticedAfter = walks.compactMap { walk in
      guard let before = updates.last(where: { $0.timestamp <= walk.lowerBound }), before.isConverged else {
        return nil
      }
      let back = updates.first { $0.timestamp > walk.lowerBound && !$0.isConverged }
      guard let back, back.timestamp <= walk.upperBound else { return .infinity }
      return back.timestamp.seconds(since: walk.lowerBound)
    }
  }

  /// Notes one update and whether its interval, if it has one, contains the true angle.
  mutating func note(at time: Timestamp, containsTruth: Bool?) {
    guard walks.contains(where: { $0.contains(time) }) else { return }
    judged += 1
    guard let containsTruth else { return }
    intervals += 1
    if containsTruth { intervalsContainingTruth += 1 }
  }
}
