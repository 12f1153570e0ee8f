import Foundation
import Geometry
import LeastSquares

/// The offset between an inertial unit's clock and that of poses, from the rate of rotation alone: the axes between
/// the two need not be known.
///
/// Both are resampled to 50 Hz, and the fastest 2 % are cut: a tracker that loses its marker for an instant turns at
/// any speed. At each shift the speeds of rotation are correlated; the best shift counts where its correlation is high
/// and clearly above that of shifts half a second away.
struct RotationClock {
  /// The outcome.
  struct Outcome {
    /// Seconds to add to the inertial unit's stamps.
    var shift: Double
    /// Pearson's correlation of the rates there, and with the clocks as they are.
    var correlation: Double
    var unshifted: Double
  }

  private static let step: Int64 = 20_000_000
  /// Bins kept: an hour and a half.
  private static let most = 270_000

  private var gyroscope = RateBins()
  private var poses = RateBins()
  private var lastPose: (time: Int64, rotation: Rotation)?

  /// A reading of the gyroscope.
  mutating func add(angularVelocity: Vector3, at time: Int64) {
    gyroscope.add(angularVelocity.norm, at: time)
  }

  /// A pose.
  mutating func add(rotation: Rotation, at time: Int64) {
    guard let last = lastPose else {
      lastPose = (time, rotation)
      return
    }
    let span = Double(time - last.time) / 1e9
    // Shorter steps would measure the noise of the poses.
    guard span >= 0.045 else { return }
    if span < 0.2 { poses.add((last.rotation.inverse * rotation).log.norm / span, at: (time + last.time) / 2) }
    lastPose = (time, rotation)
  }

  /// The shift; nil where the rates say nothing about it.
  func estimate(within limit: Double) -> Outcome? {
    let bins = Int64((limit * 1e9).rounded()) / Self.step
    var correlations: [Double] = []
    let (turns, poses) = (gyroscope.cut(), poses.cut())
    for shift in -bins...bins { correlations.append(RateBins.correlation(turns, shiftedBy: shift, poses) ?? -1) }
    guard let best = correlations.indices.max(by: { correlations[$0] < correlations[$1] }),
      correlations[best] > 0.65
    else { return nil }
    let away = correlations.indices.filter { abs($0 - best) >= 25 }.map { correlations[$0] }.max() ?? -1
    guard correlations[best] - away > 0.1 else { return nil }
    var fraction = 0.0
    if best > 0, best + 1 < correlations.count {
      fraction = parabolaVertex(correlations[best - 1], correlations[best], correlations[best + 1])
    }
    return Outcome(
      shift: (Double(Int64(best) - bins) + fraction) * Double(Self.step) / 1e9, correlation: correlations[best],
      unshifted: correlations[Int(bins)])
  }

  /// Mean rates in bins of time.
  private struct RateBins {
    private(set) var first: Int64?
    private(set) var sums: [Double] = []
    private(set) var counts: [Double] = []

    mutating func add(_ rate: Double, at time: Int64) {
      let bin = time.floorDivided(by: RotationClock.step)
      let first = first ?? bin
      self.first = first
      let index = Int(bin - first)
      guard index >= 0, index < RotationClock.most else { return }
      while sums.count <= index {
        sums.append(0)
        counts.append(0)
      }
      sums[index] += rate
      counts[index] += 1
    }

    /// Means instead of sums, the largest cut.
    func cut() -> RateBins {
      var means = self
      for k in sums.indices where counts[k] > 0 { (means.sums[k], means.counts[k]) = (sums[k] / counts[k], 1) }
      let sorted = sums.indices.filter { counts[$0] > 0 }.map { means.sums[$0] }.sorted()
      guard let limit = sorted.isEmpty ? nil : sorted[min(sorted.count - 1, sorted.count * 98 / 100)] else {
        return means
      }
      for k in means.sums.indices { means.sums[k] = min(means.sums[k], limit) }
      return means
    }

    static func correlation(_ a: RateBins, shiftedBy shift: Int64, _ b: RateBins) -> Double? {
      guard let firstA = a.first, let firstB = b.first else { return nil }
      var (n, sa, sb, saa, sbb, sab) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
      for j in b.sums.indices where b.counts[j] > 0 {
        let i = Int(firstB + Int64(j) - shift - firstA)
        guard i >= 0, i < a.sums.count, a.counts[i] > 0 else { continue }
        let (x, y) = (a.sums[i], b.sums[j])
        n += 1
        sa += x
        sb += y
        saa += x * x
        sbb += y * y
        sab += x * y
      }
      guard n >= 100 else { return nil }  // five seconds of poses
      let spread = (saa - sa * sa / n) * (sbb - sb * sb / n)
      return spread > 0 ? (sab - sa * sb / n) / spread.squareRoot() : nil
    }
  }
}

extension Int64 {
  fileprivate func floorDivided(by divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
