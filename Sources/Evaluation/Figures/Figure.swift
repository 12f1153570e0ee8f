import Foundation

/// One number that a run, or many runs, are judged by, with what is known of its own error.
package struct Figure: Equatable, Sendable {
  /// The number; nil where there is nothing to compute it from.
  package var value: Double?
  /// Its 95 % confidence interval over the trials; nil where they are too few.
  package var interval: ClosedRange<Double>?
  /// Trials, or peers of trials, that it rests on.
  package var count: Int

  private static let z = 1.959963984540054

  /// The median of one number a trial; its interval from order statistics.
  ///
  /// Source: Conover, "Practical Nonparametric Statistics", 3rd ed., Wiley 1999, 3.2.
  package static func median(_ values: [Double?]) -> Figure {
    let sorted = values.compactMap { $0 }.sorted()
    let n = sorted.count
    guard n > 0 else { return Figure(count: 0) }
    let middle = n.isMultiple(of: 2) ? (sorted[n / 2 - 1] + sorted[n / 2]) / 2 : sorted[n / 2]
    let half = z * Double(n).squareRoot() / 2
    let low = Int((Double(n) / 2 - half).rounded(.down)) - 1
    let high = Int((Double(n) / 2 + half).rounded(.up))
    guard low >= 0, high < n else { return Figure(value: middle, count: n) }
    return Figure(value: middle, interval: sorted[low]...sorted[high], count: n)
  }

  /// The number that a share `p` of the trials does not exceed, the next one up; nil where that is for ever. Its interval from order
  /// statistics as that of `median`.
  package static func quantile(_ values: [Double], _ p: Double) -> Figure {
    let sorted = values.sorted()
    let n = Double(sorted.count)
    guard n > 0 else { return Figure(count: 0) }
    let value = sorted[min(Int((p * n).rounded(.up)), sorted.count) - 1]
    guard value.isFinite else { return Figure(count: sorted.count) }
    let half = z * (n * p * (1 - p)).squareRoot()
    let (low, high) = (Int((p * n - half).rounded(.down)) - 1, Int((p * n + half).rounded(.up)))
    guard low >= 0, high < sorted.count, sorted[high].isFinite else { return Figure(value: value, count: sorted.count) }
    return Figure(value: value, interval: sorted[low]...sorted[high], count: sorted.count)
  }

  /// The mean of one number a trial; its interval from their spread.
  package static func mean(_ values: [Double?]) -> Figure {
    let values = values.compactMap { $0 }
    let n = Double(values.count)
    guard n > 0 else { return Figure(count: 0) }
    let mean = values.reduce(0, +) / n
    guard values.count > 1 else { return Figure(value: mean, count: 1) }
    let variance = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / (n - 1)
    let half = z * (variance / n).squareRoot()
    return Figure(value: mean, interval: (mean - half)...(mean + half), count: values.count)
  }

  /// The share `sum of hits / sum of all`. What happens within one trial hangs together, so the interval counts trials and not
  /// updates: Wilson's, with the number of independent draws that the spread between the trials tells.
  ///
  /// Sources: Wilson, JASA 22, 1927, doi:10.1080/01621459.1927.10502953; Cochran, "Sampling Techniques", 3rd ed., Wiley
  /// 1977, section 3.12 (ratio of cluster totals).
  package static func share(_ trials: [(hits: Int, all: Int)]) -> Figure {
    let clusters = trials.filter { $0.all > 0 }
    let all = clusters.reduce(0.0) { $0 + Double($1.all) }
    guard all > 0 else { return Figure(count: 0) }
    let share = clusters.reduce(0.0) { $0 + Double($1.hits) } / all
    let count = clusters.count
    guard count > 1 else { return Figure(value: share, count: count) }
    let n = Double(count)
    let squares = clusters.reduce(0.0) { sum, c in
      let excess = Double(c.hits) - share * Double(c.all)
      return sum + excess * excess
    }
    let variance = n / (n - 1) * squares / (all * all)
    // All alike (none, or every one) says nothing of the spread: then a trial counts as one draw.
    let draws = variance > 0 ? min(max(share * (1 - share) / variance, 1), all) : n
    let centre = (share + z * z / (2 * draws)) / (1 + z * z / draws)
    let half = z / (1 + z * z / draws) * (share * (1 - share) / draws + z * z / (4 * draws * draws)).squareRoot()
    let interval = max(0, min(share, centre - half))...min(1, max(share, centre + half))
    return Figure(value: share, interval: interval, count: count)
  }

  /// The median of `pairs.0` over the median of `pairs.1`, on the same draws; nil where either is not finite. Its interval as
  /// that of `ratioOfQuantiles`, a pair being a trial.
  package static func ratioOfMedians(_ pairs: [(Double, Double)]) -> Figure {
    ratioOfQuantiles(pairs.map { [$0] }, 0.5)
  }

  /// The quantile `p` of all `trials[_].0` over that of all `trials[_].1`; its interval by the bootstrap over the trials.
  package static func ratioOfQuantiles(_ trials: [[(Double, Double)]], _ p: Double) -> Figure {
    func quantile(_ values: [Double]) -> Double? {
      let sorted = values.sorted()
      guard !sorted.isEmpty else { return nil }
      // Linear between order statistics, so that a half is the median; one that never came is infinite, and stays so.
      let place = p * Double(sorted.count - 1)
      let (low, share) = (Int(place), place - place.rounded(.down))
      return share > 0 ? sorted[low] + share * (sorted[low + 1] - sorted[low]) : sorted[low]
    }
    return bootstrapped(trials.filter { !$0.isEmpty }) { drawn in
      let drawn = drawn.flatMap(\.self)
      guard let above = quantile(drawn.map(\.0)), let below = quantile(drawn.map(\.1)), below > 0,
        above.isFinite, below.isFinite
      else { return nil }
      return above / below
    }
  }

  /// The share that all `ours` are over the share that all `theirs` are; nil where the latter is none. Its interval by the bootstrap over the trials.
  package static func ratioOfShares(
    _ trials: [(ours: (hits: Int, all: Int), theirs: (hits: Int, all: Int))]
  ) -> Figure {
    bootstrapped(trials) { drawn in
      let sum = drawn.reduce((0, 0, 0, 0)) {
        ($0.0 + $1.ours.hits, $0.1 + $1.ours.all, $0.2 + $1.theirs.hits, $0.3 + $1.theirs.all)
      }
      guard sum.1 > 0, sum.2 > 0 else { return nil }
      return Double(sum.0) / Double(sum.1) / (Double(sum.2) / Double(sum.3))
    }
  }

  /// A number made of all trials, and its interval by the bootstrap over them, because what happens within one hangs together, with a
  /// generator of its own and a fixed seed; none where the trials are fewer than ten.
  ///
  /// Source: Efron and Tibshirani, "An Introduction to the Bootstrap", Chapman and Hall 1993, chapter 13 (percentile).
  private static func bootstrapped<Trial>(_ trials: [Trial], _ statistic: ([Trial]) -> Double?) -> Figure {
    let count = trials.count
    guard let value = statistic(trials) else { return Figure(count: count) }
    guard count >= 10 else { return Figure(value: value, count: count) }
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15
    var draws: [Double] = []
    for _ in 0..<400 {
      let drawn = trials.indices.map { _ -> Trial in
        // SplitMix64: Steele, Lea, Flood, OOPSLA 2014, doi:10.1145/2660193.2660195.
        state &+= 0x9E37_79B9_7F4A_7C15
        var x = state
        x = (x ^ (x >> 30)) &* 0xBF58_476D_1CE4_E5B9
        x = (x ^ (x >> 27)) &* 0x94D0_49BB_1331_11EB
        return trials[Int((x ^ (x >> 31)) % UInt64(count))]
      }
      if let draw = statistic(drawn) { draws.append(draw) }
    }
    draws.sort()
    guard draws.count >= 200 else { return Figure(value: value, count: count) }
    let low = draws[Int(0.025 * Double(draws.count - 1))]
    let high = draws[Int((0.975 * Double(draws.count - 1)).rounded(.up))]
    return Figure(value: value, interval: low...high, count: count)
  }
}
