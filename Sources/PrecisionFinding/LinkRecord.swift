import Ranging
import SensorData

/// What came in on a link and what became of it.
struct LinkRecord {
  /// When the first range came.
  private(set) var firstRange: Timestamp?
  /// The newest range, whether or not it could be used.
  private(set) var lastRange: RangeMeasurement?
  /// When the newest one came that was no repetition of the one before.
  private(set) var lastNewRange: Timestamp?
  /// When a range last moved the estimate.
  private(set) var lastUsed: Timestamp?
  /// Recent news, for the rate; at most two seconds of them.
  private(set) var recent: [Timestamp] = []
  /// Slow mean of the probability that the sight is free.
  private(set) var clearness = 1.0
  /// The probability that the sight was free when a range was last weighed.
  private(set) var sight: (time: Timestamp, free: Double)?
  /// What became of the newest range.
  private(set) var report: RangeReport?
  private(set) var used = 0
  private(set) var rejected = 0
  /// Ranges that a posterior which has not begun holds back: used when it begins.
  private var waiting = 0
  /// How often the hypotheses had to be opened anew: what they held back goes with them.
  var reopened = 0 {
    didSet { (waiting, radio) = (0, nil) }
  }
  /// What the belief knew of the radio when somebody asked, after so many of its ranges.
  var radio: (knowledge: LinkKnowledge, ranges: Int)?

  /// A range has come.
  mutating func note(_ range: RangeMeasurement) {
    if firstRange == nil { firstRange = range.timestamp }
    lastRange = range
    recent.removeAll { range.timestamp.seconds(since: $0) > 2 }
  }

  /// ... and it is no repetition.
  ///
  /// - Returns: seconds since the one before; nil for the first.
  mutating func recordNewRange(at time: Timestamp) -> Double? {
    defer { lastNewRange = time }
    recent.append(time)
    return lastNewRange.map { time.seconds(since: $0) }
  }

  /// It is the one before, said once more.
  mutating func recordDuplicate(_ range: RangeMeasurement) {
    report = RangeReport(range: range.range, use: .repeated)
    tally(range.timestamp, wasUsed: false, isWaiting: false)
  }

  /// Whether the newest range is only the one before once more.
  var isRepeating: Bool { report?.use == .repeated }

  /// It is kept for later.
  mutating func keep(_ range: RangeMeasurement) { report = RangeReport(range: range.range, use: .kept) }

  /// It is held back.
  ///
  /// - Parameter isWaiting: until the posterior begins; else another antenna is heard in its place.
  mutating func hold(_ range: RangeMeasurement, isWaiting: Bool) {
    report = RangeReport(range: range.range, use: .held)
    tally(range.timestamp, wasUsed: nil, isWaiting: isWaiting)
  }

  /// It was weighed.
  ///
  /// - Parameter free: probability that its sight was free.
  mutating func count(_ range: RangeMeasurement, wasUsed: Bool, innovation: (Double, Double)?, free: Double) {
    report = RangeReport(range: range.range, use: wasUsed ? .used : .rejected, innovation: innovation)
    clearness += 0.1 * (free - clearness)
    sight = (range.timestamp, free)
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
