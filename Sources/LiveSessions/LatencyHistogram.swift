import Foundation

/// Counts of durations in steps, in seconds.
package final class LatencyHistogram: @unchecked Sendable {
  /// The upper bounds of the steps, seconds.
  package static let bounds = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5]

  private let lock = NSLock()
  private var counts = [Int](repeating: 0, count: bounds.count + 1)
  private var sum = 0.0

  /// A histogram of nothing.
  package init() {}

  /// Adds a duration in seconds, so many times.
  package func add(_ seconds: Double, times: Int = 1) {
    guard times > 0 else { return }
    lock.withLock {
      counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += times
      sum += seconds * Double(times)
    }
  }

  /// The counts of the steps, the last of what is longer than all bounds, and the sum in seconds.
  package var values: (counts: [Int], sum: Double) { lock.withLock { (counts, sum) } }
}
