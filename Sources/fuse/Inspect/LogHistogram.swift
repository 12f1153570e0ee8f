import Foundation

/// Quantiles of positive numbers within 1 %, in constant memory: a histogram with logarithmic bins.
package struct LogHistogram {
  private static let smallest = 1e-9
  private static let ratio = 1.02
  private static let bins = 2800  // up to 1e15

  private var counts = [Int](repeating: 0, count: bins)
  /// An empty histogram.
  package init() {}

  /// How many numbers it holds.
  package private(set) var count = 0
  /// The smallest number.
  package private(set) var minimum = Double.infinity
  /// The largest number.
  package private(set) var maximum = -Double.infinity

  /// Adds a number; all below 1e-9 count as that.
  package mutating func add(_ value: Double) {
    guard value.isFinite else { return }
    let position = log(max(value, Self.smallest) / Self.smallest) / log(Self.ratio)
    counts[min(Self.bins - 1, Int(position))] += 1
    count += 1
    minimum = min(minimum, value)
    maximum = max(maximum, value)
  }

  /// The quantile `p` (0...1); nil without numbers.
  package func quantile(_ p: Double) -> Double? {
    guard count > 0 else { return nil }
    let wanted = Int((p * Double(count - 1)).rounded())
    var seen = 0
    for (bin, bins) in counts.enumerated() {
      seen += bins
      if seen > wanted {
        return min(maximum, max(minimum, Self.smallest * pow(Self.ratio, Double(bin) + 0.5)))
      }
    }
    return maximum
  }
}
