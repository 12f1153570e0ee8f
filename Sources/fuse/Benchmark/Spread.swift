/// Mean, median, 99th percentile (nearest rank) and maximum of a set of times, all in one unit.
package struct Spread: Codable, Equatable, Sendable {
  package var mean, p50, p99, worst: Double

  /// From times in nanoseconds, at least one, in units of `unit` nanoseconds.
  package init(_ nanoseconds: [Int], unit: Double) {
    precondition(!nanoseconds.isEmpty, "at least one time")
    let sorted = nanoseconds.sorted()
    func rank(_ percent: Int) -> Double { Double(sorted[(sorted.count * percent + 99) / 100 - 1]) / unit }
    mean = Double(sorted.reduce(0, +)) / Double(sorted.count) / unit
    (p50, p99, worst) = (rank(50), rank(99), rank(100))
  }
}
