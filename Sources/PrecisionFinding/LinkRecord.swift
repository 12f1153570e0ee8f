import Ranging
import SensorData

/// Statistics of the ranges received on a link, and what became of them.
struct LinkRecord {
  /// Time of the first range.
  private(set) var firstRange: Timestamp?
  /// The newest range, used or not.
  private(set) var lastRange: RangeMeasurement?
  /// Time of the newest range that was no duplicate.
  private(set) var lastNewRange: Timestamp?
  /// Time of the last range that was used by the estimate.
  private(set) var lastUsed: Timestamp?
  /// Times of recent new ranges, for the rate; at most two seconds of them.
  private(set) var recent: [Timestamp] = []
  /// Slow mean of the LOS probability.
  private(set) var losFraction = 1.0
  /// LOS probability after the last processed range.
  private(set) var lastLOS: (time: Timestamp, probability: Double)?
  /// What became of the newest range.
  private(set) var report: RangeReport?
  /// The last second's ranges.
  private(set) var agreement = RadioAgreement()
  private(set) var used = 0
  private(set) var rejected = 0
  /// Ranges held back by a posterior that has not started: used when it starts.
  private var waiting = 0
  /// How often the search restarted; ranges held back are dropped with it.
  var restarts = 0 {
    didSet { (waiting, radio) = (0, nil) }
  }
  /// The link's radio parameters as last asked for, and the number of ranges they rest on.
  var radio: (knowledge: LinkKnowledge, ranges: Int)?

  /// Records an incoming range.
  mutating func recordRange(_ range: RangeMeasurement) {
    if firstRange == nil { firstRange = range.timestamp }
    lastRange = range
    recent.removeAll { range.timestamp.seconds(since: $0) > 2 }
  }

  /// Records that it is no duplicate.
  ///
  /// - Returns: seconds since the previous new range; nil for the first.
  mutating func recordNewRange(at time: Timestamp) -> Double? {
    defer { lastNewRange = time }
    recent.append(time)
    return lastNewRange.map { time.seconds(since: $0) }
  }

  /// Records that it is a duplicate.
  mutating func recordDuplicate(_ range: RangeMeasurement) {
    report = RangeReport(range: range.range, use: .repeated)
    tally(range.timestamp, wasUsed: false, isWaiting: false)
  }

  /// Whether the newest range is a duplicate.
  var isRepeating: Bool { report?.use == .repeated }

  /// Records that it is kept for later.
  mutating func recordKept(_ range: RangeMeasurement) { report = RangeReport(range: range.range, use: .kept) }

  /// Records that it is held back.
  ///
  /// - Parameter isWaiting: until the posterior starts; else another antenna is used in its place.
  mutating func recordHeld(_ range: RangeMeasurement, isWaiting: Bool) {
    report = RangeReport(range: range.range, use: .held)
    tally(range.timestamp, wasUsed: nil, isWaiting: isWaiting)
  }

  /// Records that it was processed.
  ///
  /// - Parameter losProbability: LOS probability of the range.
  mutating func recordProcessed(
    _ range: RangeMeasurement, wasUsed: Bool, innovation: (Double, Double)?, losProbability: Double
  ) {
    report = RangeReport(range: range.range, use: wasUsed ? .used : .rejected, innovation: innovation)
    losFraction += 0.1 * (losProbability - losFraction)
    lastLOS = (range.timestamp, losProbability)
    agreement.record(range, wasUsed: wasUsed)
    tally(range.timestamp, wasUsed: wasUsed, isWaiting: false)
  }

  /// Counts a range by what became of it; nil: it is held back.
  mutating func tally(_ time: Timestamp, wasUsed: Bool?, isWaiting: Bool) {
    guard let wasUsed else {
      waiting += isWaiting ? 1 : 0
      return
    }
    used += waiting + (wasUsed ? 1 : 0)
    rejected += wasUsed ? 0 : 1
    waiting = 0
    if wasUsed { lastUsed = time }
  }
}
