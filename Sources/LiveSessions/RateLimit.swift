/// A token bucket, with the clock given: pure.
package struct RateLimit: Equatable, Sendable {
  private let perSecond: Double
  private let burst: Double
  private var tokens: Double
  private var last: Double?

  /// A limit of events a second; a burst of two seconds passes.
  package init(perSecond: Double) {
    self.perSecond = perSecond
    burst = 2 * perSecond
    tokens = burst
  }

  /// Takes `count` at a time in seconds; returns the seconds to wait where there are too many. A batch larger than the
  /// burst passes when the bucket is full.
  package mutating func take(_ count: Int, at now: Double) -> Double? {
    if let last, now > last { tokens = min(burst, tokens + (now - last) * perSecond) }
    last = max(last ?? now, now)
    let needed = min(Double(count), burst)
    guard tokens >= needed else { return (needed - tokens) / perSecond }
    tokens -= Double(count)
    return nil
  }

  /// Takes what has already come, however much: later ones wait until it is made up for.
  package mutating func spend(_ count: Int, at now: Double) {
    if let last, now > last { tokens = min(burst, tokens + (now - last) * perSecond) }
    last = max(last ?? now, now)
    tokens -= Double(count)
  }
}
