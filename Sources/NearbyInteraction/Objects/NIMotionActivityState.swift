/// Whether the thing to be found moves. Apple does not publish its raw values.
public enum NIMotionActivityState: Int, Sendable, CaseIterable {
  /// Not known.
  case unknown = 0
  /// It stays where it is.
  case stationary = 1
  /// It moves.
  case moving = 2
}
