import Geometry

/// Pieces of hand motion, one after the other.
package struct MotionPlan: Sendable {
  private var pieces: [(start: Double, from: HandPose, motion: HandMotion)] = []
  /// Total, seconds.
  package private(set) var duration = 0.0
  /// Pose at the end.
  package private(set) var end: HandPose

  /// An empty plan that begins at `start`.
  package init(from start: HandPose) { end = start }

  /// Appends a piece.
  package mutating func append(_ motion: HandMotion) {
    guard motion.duration > 0 else { return }
    pieces.append((duration, end, motion))
    duration += motion.duration
    end = motion.pose(at: motion.duration, from: end)
  }

  /// The intended pose at `time` seconds; constant before the beginning and after the end.
  package func pose(at time: Double) -> HandPose {
    guard let first = pieces.first else { return end }
    let piece = pieces.last { $0.start <= time } ?? first
    return piece.motion.pose(at: min(max(time - piece.start, 0), piece.motion.duration), from: piece.from)
  }
}
