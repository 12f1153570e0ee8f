/// Summary statistics of absolute errors.
package struct ErrorStatistics: Equatable, Sendable {
  /// How many.
  package var count: Int
  /// Root mean square.
  package var rms: Double
  /// Median.
  package var median: Double
  /// 90th percentile.
  package var percentile90: Double
  /// The largest.
  package var largest: Double
  /// The last one in time.
  package var final: Double

  /// The statistics of errors in time order; nil without any. O(n log n).
  package init?(_ errors: [Double]) {
    guard let last = errors.last else { return nil }
    let sorted = errors.map { abs($0) }.sorted()
    count = sorted.count
    rms = (sorted.reduce(0) { $0 + $1 * $1 } / Double(sorted.count)).squareRoot()
    median = sorted[(sorted.count - 1) / 2]
    percentile90 = sorted[Int((0.9 * Double(sorted.count - 1)).rounded(.up))]
    largest = sorted[sorted.count - 1]
    final = abs(last)
  }
}
