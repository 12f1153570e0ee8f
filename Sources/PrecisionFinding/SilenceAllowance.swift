/// How much of the time without events is filled with regular updates.
///
/// Stamps may be wrong by any factor, and a damaged one may lie years ahead: without a bound a table of some kilobytes
/// makes hundreds of megabytes of updates that say the same. With `a` the seconds that may be filled, an event after a
/// silence of `s` seconds fills `min(s, a)` and leaves `a <- min(a - min(s, a) + 2, 600)`. So ten minutes are filled whole,
/// a stream with an event every two seconds is never cut, and `n` events fill at most `600 + 2 n` seconds.
struct SilenceAllowance {
  /// Most seconds that are filled in one piece.
  private static let most = 600.0
  /// Seconds that an event adds.
  private static let perEvent = 2.0

  private var seconds = most

  /// The seconds to fill of a silence before the next event.
  mutating func take(_ silence: Double) -> Double {
    let filled = min(max(silence, 0), seconds)
    seconds = min(seconds - filled + Self.perEvent, Self.most)
    return filled
  }
}
