import SensorData

/// How regularly something arrives: rate, span and holes, in memory that does not grow.
package struct RateMeter {
  /// A hole is a step longer than this many median steps ...
  static let holeSteps = 5.0
  /// ... and than this, seconds.
  static let shortestHole = 0.05

  /// Nothing seen yet.
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

  /// Notes one more.
  package mutating func note(_ time: Timestamp) {
    if let last {
      let step = time.seconds(since: last)
      steps.add(max(0, step))
      noteLong(step, at: last)
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

  /// The longest holes, longest first, at most three.
  package var holes: [(at: Timestamp, length: Double)] {
    guard let median = medianStep else { return [] }
    return longSteps.filter { $0.length > max(Self.holeSteps * median, Self.shortestHole) }
  }

  private mutating func noteLong(_ step: Double, at time: Timestamp) {
    guard longSteps.count < 3 || step > longSteps[2].length else { return }
    longSteps.append((time, step))
    longSteps.sort { $0.length != $1.length ? $0.length > $1.length : $0.at < $1.at }
    if longSteps.count > 3 { longSteps.removeLast() }
  }
}
