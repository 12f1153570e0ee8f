import Foundation
import SensorData

/// Whether a distance agrees with what the radio has just measured.
///
/// A distance is the radio's, whatever the path does: against the median r of the last second's ranges, bias removed, a
/// published d must satisfy `d - r <= k s + v a + m` for all ranges, because nothing makes a range too short, and
/// `|d - r| <= k s + v a + m` for the ranges that were used; s is the 1-sigma of bias, noise and d together, v the
/// speed of a hand, a the median's age.
struct RadioAgreement {
  /// Ranges this far back count, seconds, and fewest of them.
  private static let span = 1.0, fewest = 3
  /// k, v in m/s and m in metres.
  private static let sigmas = 3.0, speed = 1.5, margin = 0.3

  private var recent: [(time: Timestamp, range: Double, wasUsed: Bool)] = []

  /// Takes a new range in.
  mutating func record(_ range: RangeMeasurement, wasUsed: Bool) {
    recent.removeAll { range.timestamp.seconds(since: $0.time) > Self.span }
    recent.append((range.timestamp, range.range, wasUsed))
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
