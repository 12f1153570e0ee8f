import Foundation
import LeastSquares
import Premises
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

/// What stands against a whole link, beside its own posterior: premises of the set-up, and what the radio has just
/// measured. Each withdraws all that rests on a trajectory and its geometry; the distance stays, it is the radio's.
struct LinkObjections {
  /// Premises that are refuted, for the device or for this link.
  var refuted: [Diagnosis] = []
  /// The code of one against which evidence speaks.
  var open: String?
  /// The published distance beside the radio's; nil where there is none, or too few ranges to tell.
  var agreement: RadioAgreement.Outcome?
  /// Share of the latest ranges that are apart from the newest, and by how much, metres; nil where they are too few.
  var contradiction: (share: Double, spread: Double)?

  /// Whether the distance contradicts the radio.
  var contradictsRadio: Bool { agreement.map { $0.off > $0.allowed } ?? false }

  /// The gates. What is open hides behind what is refuted.
  func gates(_ rules: PublicationRules) -> [PublicationGate] {
    func note(_ limit: PublicationRules.Limit, _ codes: [String]) -> String? {
      codes.isEmpty ? nil : "\(limit.withholds.rawValue): \(codes.joined(separator: ", "))"
    }
    let codes = refuted.map(\.code)
    var gates = [PublicationGate(rules.refuted, Double(codes.count), note: note(rules.refuted, codes))]
    if codes.isEmpty {
      let open = [open].compactMap { $0 }
      gates.append(PublicationGate(rules.openPremise, Double(open.count), note: note(rules.openPremise, open)))
    }
    if let contradiction { gates.append(PublicationGate(rules.contradictoryRanges, contradiction.share)) }
    if let agreement { gates.append(PublicationGate(rules.agreement(allowed: agreement.allowed), agreement.off)) }
    return gates
  }
}

/// Whether a distance agrees with what the radio has just measured.
///
/// A distance is the radio's, whatever the path does: against the median r of the last second's ranges, bias removed, a
/// published d must satisfy `d - r <= k s + v a + m` for all ranges, because nothing makes a range too short, and
/// `|d - r| <= k s + v a + m` for the ranges that were used; s is the 1-sigma of bias, noise and d together, v the
/// speed of a hand, a the median's age.
///
/// Ranges may contradict each other, too: of those of the last 3 s, z_i is apart from the median r of the newest where
/// `|z_i - r| > k n + v' (t - t_i) + m'`, n being a range's noise, v' the speed of a hand and of a walking peer: no device and no peer moves so. Where a third
/// or more are (`PublicationRules`), neither level is known to be the distance, and its 1-sigma is their median distance from r at least.
struct RadioAgreement {
  /// Ranges this far back count, seconds, and fewest of them.
  private static let span = 1.0, fewest = 3
  /// k, v in m/s and m in metres.
  private static let sigmas = 3.0, speed = 1.5, margin = 0.3
  /// The same among ranges; how far back, seconds, and how many are the newest.
  private static let apart = (sigmas: 4.0, speed: 3.0, margin: 1.0), memory = 3.0, newest = 5

  private var recent: [(time: Timestamp, range: Double, wasUsed: Bool)] = []

  /// Takes a new range in.
  mutating func record(_ range: RangeMeasurement, wasUsed: Bool) {
    recent.removeAll { range.timestamp.seconds(since: $0.time) > Self.memory }
    recent.append((range.timestamp, range.range, wasUsed))
  }

  /// Which share of the ranges of the last seconds is apart from the newest, 0...1, and their median distance from these, metres; nil where there are too few.
  ///
  /// - Parameter noise: 1-sigma of a range, metres.
  func contradiction(at time: Timestamp, noise: Double) -> (share: Double, spread: Double)? {
    guard let last = recent.last, time.seconds(since: last.time) <= Self.span, recent.count > Self.newest else {
      return nil
    }
    let level = recent.suffix(Self.newest).map(\.range).median ?? 0
    let apart = recent.compactMap { range -> Double? in
      let off = abs(range.range - level)
      let age = max(last.time.seconds(since: range.time), 0)
      return off > Self.apart.sigmas * noise + Self.apart.speed * age + Self.apart.margin ? off : nil
    }
    return (Double(apart.count) / Double(recent.count), apart.median ?? 0)
  }

  /// A distance beside the radio's, metres.
  struct Outcome {
    /// By how much it is off, and by how much it may be.
    var off: Double, allowed: Double
  }

  /// How far a distance is from the radio's at `time`; nil where too few ranges are fresh to tell.
  ///
  /// - Parameters:
  ///   - distance: mean and 1-sigma, metres.
  ///   - bias: the link's, mean in metres and variance in m^2.
  ///   - noise: 1-sigma of a range, metres.
  ///   - lever: from the device's origin to the antenna, metres.
  func outcome(
    _ distance: (mean: Double, sigma: Double), at time: Timestamp, bias: (mean: Double, variance: Double),
    noise: Double, lever: Double
  ) -> Outcome? {
    let spread = (bias.variance + noise * noise + distance.sigma * distance.sigma).squareRoot()
    func excess(_ ranges: [(time: Timestamp, range: Double, wasUsed: Bool)]) -> Outcome? {
      let fresh = ranges.filter { time.seconds(since: $0.time) <= Self.span }
      guard fresh.count >= Self.fewest else { return nil }
      let median = fresh.sorted { $0.range < $1.range }[fresh.count / 2]
      let age = max(time.seconds(since: median.time), time.seconds(since: fresh[fresh.count / 2].time))
      return Outcome(
        off: distance.mean - (median.range - bias.mean),
        allowed: Self.sigmas * spread + Self.speed * age + Self.margin + lever)
    }
    let all = excess(recent)
    if let all, all.off > all.allowed { return all }
    guard var used = excess(recent.filter(\.wasUsed)) else { return all }
    used.off = abs(used.off)
    return used
  }
}

/// What became of one range, for the details of its update.
struct RangeReport {
  /// What became of it.
  enum Use: String {
    /// It was used by the estimate.
    case used
    /// It seems NLOS, or is an outlier.
    case rejected
    /// It waits for the next ranges, which show whether it is an outlier, or another antenna is used in its place.
    case held
    /// It is a duplicate of the previous one.
    case repeated
    /// There is no trajectory yet: it waits for one.
    case kept
  }

  /// As measured, metres.
  var range: Double
  /// What became of it.
  var use: Use
  /// Innovation: measured minus predicted, and its 1-sigma, metres; nil where nothing was predicted yet.
  var innovation: (value: Double, sigma: Double)?

  /// By name.
  var details: [String: NearbyUpdate.Detail] {
    var details: [String: NearbyUpdate.Detail] = ["range": .number(range), "rangeUse": .text(use.rawValue)]
    if let innovation {
      details["innovation"] = .number(rounded(innovation.value))
      details["innovationStd"] = .number(rounded(innovation.sigma))
    }
    return details
  }

  private func rounded(_ metres: Double) -> Double { (metres * 1e4).rounded() / 1e4 }
}
