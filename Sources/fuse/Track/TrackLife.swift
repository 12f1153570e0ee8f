import Geometry

/// The length of a track, compared with the true projection of its point.
struct TrackLife {
  /// The frame in which it began.
  let begin: Int
  /// Its point, world, metres; nil without one in view.
  let point: Vector3?
  /// Frames that observe it.
  private(set) var length = 1
  /// Frames that observe it before its error first exceeds two pixels.
  private(set) var soundLength = 1
  /// Frames before the first one that does not observe it.
  private(set) var firstStretch = 1
  private var isSound = true

  /// A track that begins.
  init(frame: Int, point: Vector3?) { (begin, self.point) = (frame, point) }

  /// Counts a frame that observes it.
  mutating func observe(frame: Int) {
    length += 1
    if frame == begin + firstStretch { firstStretch += 1 }
  }

  /// Records its error in that frame, pixels.
  mutating func record(error: Double) {
    if error > 2 { isSound = false }
    if isSound { soundLength += 1 }
  }
}
