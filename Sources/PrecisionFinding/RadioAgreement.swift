import Foundation
import LeastSquares
import SensorData

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
