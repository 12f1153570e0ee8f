import SensorData

/// What came in on a link and what became of it.
struct LinkRecord {
  /// When the first range came.
  private(set) var firstRange: Timestamp?
  /// The newest range, whether or not it could be used.
  private(set) var lastRange: RangeMeasurement?
  /// When a range last moved the estimate.
  private(set) var lastUsed: Timestamp?
  /// Recent arrivals, for the rate; at most two seconds of them.
  private(set) var recent: [Timestamp] = []
  /// Slow mean of the probability that the sight is free.
  private(set) var clearness = 1.0
  /// What became of the newest range.
  private(set) var report: RangeReport?
  private(set) var used = 0
  private(set) var rejected = 0
  /// How often the hypotheses had to be opened anew.
  var reopened = 0

  /// A range has come.
  mutating func note(_ range: RangeMeasurement) {
    if firstRange == nil { firstRange = range.timestamp }
    lastRange = range
    recent.append(range.timestamp)
    recent.removeAll { range.timestamp.seconds(since: $0) > 2 }
  }

  /// It is kept for later.
  mutating func keep(_ range: RangeMeasurement) { report = RangeReport(range: range.range, use: .kept) }

  /// It was weighed.
  ///
  /// - Parameter free: probability that its sight was free.
  mutating func count(_ range: RangeMeasurement, wasUsed: Bool, innovation: (Double, Double)?, free: Double) {
    report = RangeReport(range: range.range, use: wasUsed ? .used : .rejected, innovation: innovation)
    clearness += 0.1 * (free - clearness)
    if wasUsed {
      used += 1
      lastUsed = range.timestamp
    } else {
      rejected += 1
    }
  }
}
