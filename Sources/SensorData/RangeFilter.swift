/// What a radio does to the ranges of a link before it reports them, where it smooths.
public enum RangeFilter: Equatable, Sendable {
  /// The mean of the newest `count` ranges, of fewer at the start; at least 1.
  case mean(count: Int)
  /// `y <- y + weight (x - y)`, beginning with the first range; weight over 0, at most 1.
  case exponential(weight: Double)
  /// The range of so many seconds ago; at least 0.
  case lag(seconds: Double)
}
