/// Counts the tracks that were used while the velocity was hardly known.
///
/// How far away everything is, seen from a device that does not know how fast it is, is one unknown: it errs alike in all
/// tracks of a frame, and in those of the frames after it. `DistanceDoubt` lets it count for every track in view; what is told again and again
/// for seconds, each time by other tracks, has to count for those before, too. Then n tracks tell as much as `1 + 1/2 + ... + 1/n` would: a
/// logarithm, and no longer a sum that makes a pan in a hall certain of a speed it cannot know.
struct UnsettledTracks {
  /// How many there were since the velocity was known last.
  private(set) var count = 0

  /// Takes the number of tracks that went into a frame's update.
  mutating func note(_ used: Int, _ navigation: InertialNavigation) {
    count = navigation.isVelocityKnown ? 0 : count + used
  }
}
