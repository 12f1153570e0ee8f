import Geometry

/// How long a track lasts, held against where its point truly is.
struct TrackLife {
  /// The frame in which it began.
  let begin: Int
  /// What it began on, world, metres; nil where the lens sees nothing.
  let point: Vector3?
  /// Frames that saw it.
  private(set) var length = 1
  /// Frames that saw it before it was for the first time more than two pixels off.
  private(set) var soundLength = 1
  /// Frames before the first one that did not see it.
  private(set) var firstStretch = 1
  private var isSound = true

  /// A track that begins.
  init(frame: Int, point: Vector3?) { (begin, self.point) = (frame, point) }

  /// Counts a frame that sees it.
  mutating func lasts(frame: Int) {
    length += 1
    if frame == begin + firstStretch { firstStretch += 1 }
  }

  /// Takes its distance from the truth in that frame in, pixels.
  mutating func isSeen(error: Double) {
    if error > 2 { isSound = false }
    if isSound { soundLength += 1 }
  }
}
