/// Whether the peer moves. Apple does not publish the raw values.
public enum NIMotionActivityState: Int, Sendable, CaseIterable {
  /// Not known.
  case unknown = 0
  /// It is stationary.
  case stationary = 1
  /// It moves.
  case moving = 2
}
