import SensorData

/// Errors of the updates of a peer while it truly moves.
package struct MovingPeerErrors: Equatable, Sendable {
  /// Motions that began while the status was `converged`: seconds from each beginning to the first update that is not
  /// converged; infinite where the motion ended before.
  package var detectionDelays: [Double] = []
  /// Updates while it moved, and how many of these had an interval of the angle.
  package var judged = 0
  package var intervals = 0
  /// Intervals among them that contain the true angle.
  package var intervalsContainingTruth = 0

  private let motions: [ClosedRange<Timestamp>]

  /// No updates yet.
  package init(motions: [ClosedRange<Timestamp>]) { self.motions = motions }

  /// Records the detection delay of each motion; updates in time order.
  mutating func record(_ updates: [JudgedUpdate]) {
    detectionDelays = motions.compactMap { motion in
      guard let before = updates.last(where: { $0.timestamp <= motion.lowerBound }), before.isConverged else {
        return nil
      }
      let detection = updates.first { $0.timestamp > motion.lowerBound && !$0.isConverged }
      guard let detection, detection.timestamp <= motion.upperBound else { return .infinity }
      return detection.timestamp.seconds(since: motion.lowerBound)
    }
  }

  /// Records one update and whether its interval, if any, contains the true angle.
  mutating func record(at time: Timestamp, containsTruth: Bool?) {
    guard motions.contains(where: { $0.contains(time) }) else { return }
    judged += 1
    guard let containsTruth else { return }
    intervals += 1
    if containsTruth { intervalsContainingTruth += 1 }
  }
}
