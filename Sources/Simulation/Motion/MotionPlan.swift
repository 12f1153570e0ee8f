import Geometry

/// Pieces of hand motion, one after the other.
package struct MotionPlan: Sendable {
  private var pieces: [(start: Double, from: HandPose, motion: HandMotion)] = []
  /// Seconds in all.
  package private(set) var duration = 0.0
  /// Where the hand is at the end.
  package private(set) var end: HandPose

  /// A plan that begins at `start` and has no length yet.
  package init(from start: HandPose) { end = start }

  /// Adds a piece at the end.
  package mutating func append(_ motion: HandMotion) {
    guard motion.duration > 0 else { return }
    pieces.append((duration, end, motion))
    duration += motion.duration
    end = motion.pose(at: motion.duration, from: end)
  }

  /// The intended pose at `time` seconds; at rest before the beginning and after the end.
  package func pose(at time: Double) -> HandPose {
    guard let first = pieces.first else { return end }
    let piece = pieces.last { $0.start <= time } ?? first
    return piece.motion.pose(at: min(max(time - piece.start, 0), piece.motion.duration), from: piece.from)
  }
}
