import LeastSquares
import SensorData

/// Tells ranges of two devices under one id: they jump to and fro between two distances.
///
/// A range alternates where it is far from the one before, and near the one before that:
/// `|z_k - z_(k-1)| > a` and `|z_k - z_(k-2)| < |z_k - z_(k-1)| / 4`. Of ranges with white noise alone, however large, 0.14 do
/// (`RangeJumpsTests`), of spells of NLOS fewer; of two devices in turn all.
package struct RangeJumps {
  /// Ranges of so many seconds count, and so many are the fewest.
  private static let span = 4.0, fewest = 24
  /// A hand and a walking peer change a distance by so much a second, metres; a range by chance by so much.
  private static let speed = 3.0, least = 0.3
  /// Share of alternating ranges that no one device has: of 24 by chance with a probability under 1e-6.
  private static let limit = 0.6

  private var ranges: [(time: Timestamp, range: Double)] = []
  private var alternating: [(time: Timestamp, isSo: Bool)] = []

  package init() {}

  /// Takes a range in, metres.
  package mutating func append(_ range: Double, at time: Timestamp) {
    if let last = ranges.last, last.range == range { return }
    ranges.append((time, range))
    guard ranges.count > 2 else { return }
    if ranges.count > 3 { ranges.removeFirst() }
    let n = ranges.count
    let step = abs(range - ranges[n - 2].range), back = abs(range - ranges[n - 3].range)
    let allowed = Self.least + Self.speed * time.seconds(since: ranges[n - 2].time)
    alternating.append((time, step > allowed && 4 * back < step))
    alternating.removeAll { time.seconds(since: $0.time) > Self.span }
  }

  /// The two distances, metres, and how many ranges of how many alternate, where they are two devices'.
  package var twins: (near: Double, far: Double, alternating: Int, count: Int)? {
    let found = alternating.count(where: \.isSo)
    guard alternating.count >= Self.fewest, Double(found) >= Self.limit * Double(alternating.count) else { return nil }
    let last = ranges.suffix(2).map(\.range)
    return (last.min()!, last.max()!, found, alternating.count)
  }
}
