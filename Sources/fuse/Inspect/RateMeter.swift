import SensorData

/// Rate, span and gaps of a stream, in constant memory.
package struct RateMeter {
  /// A gap is a step longer than this many median steps
  static let gapSteps = 5.0
  /// and longer than this, seconds.
  static let shortestGap = 0.05

  /// No timestamps yet.
  package init() {}

  /// How many.
  private(set) var count = 0
  /// The first.
  private(set) var first: Timestamp?
  /// The last.
  private(set) var last: Timestamp?
  private var steps = LogHistogram()
  private var longSteps: [(at: Timestamp, length: Double)] = []

  /// The longest step and where it begins.
  var longest: (at: Timestamp, length: Double)? { longSteps.first }

  /// Adds a timestamp.
  package mutating func add(_ time: Timestamp) {
    if let last {
      let step = time.seconds(since: last)
      steps.add(max(0, step))
      recordLong(step, at: last)
    }
    count += 1
    first = min(first ?? time, time)
    last = max(last ?? time, time)
  }

  /// Seconds from the first to the last.
  var span: Double { first.flatMap { first in last.map { $0.seconds(since: first) } } ?? 0 }
  /// Mean rate, Hz; nil for fewer than two.
  var rate: Double? { count > 1 && span > 0 ? Double(count - 1) / span : nil }
  /// The typical step, seconds.
  package var medianStep: Double? { steps.quantile(0.5) }

  /// The longest gaps, longest first, at most three.
  package var gaps: [(at: Timestamp, length: Double)] {
    guard let median = medianStep else { return [] }
    return longSteps.filter { $0.length > max(Self.gapSteps * median, Self.shortestGap) }
  }

  private mutating func recordLong(_ step: Double, at time: Timestamp) {
    guard longSteps.count < 3 || step > longSteps[2].length else { return }
    longSteps.append((time, step))
    longSteps.sort { $0.length != $1.length ? $0.length > $1.length : $0.at < $1.at }
    if longSteps.count > 3 { longSteps.removeLast() }
  }
}
