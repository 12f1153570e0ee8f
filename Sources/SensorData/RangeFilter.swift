/// What a radio does to the ranges of a link before it reports them, where it smooths.
public enum RangeFilter: Equatable, Sendable {
  /// The mean of the newest `count` ranges, of fewer at the start; at least 1.
  case mean(count: Int)
  /// `y <- y + weight (x - y)`, beginning with the first range; weight over 0, at most 1.
  case exponential(weight: Double)
  /// The range of so many seconds ago; at least 0.
  case lag(seconds: Double)
}

extension RangeFilter {
  /// Mean age of what a range reports, seconds, where ranges come `interval` seconds apart.
  public func delay(interval: Double) -> Double {
    switch self {
    case .mean(let count): 0.5 * Double(count - 1) * interval
    case .exponential(let weight): (1 - weight) / weight * interval
    case .lag(let seconds): seconds
    }
  }
}
