import Foundation

/// One evaluation metric of one or many runs, with its confidence interval.
package struct Figure: Equatable, Sendable {
  /// The value; nil where there is no data.
  package var value: Double?
  /// Its 95 % confidence interval over the trials; nil for too few trials.
  package var interval: ClosedRange<Double>?
  /// Number of trials, or of peers of trials.
  package var count: Int

  private static let z = 1.959963984540054

  /// The median of one value per trial; its interval from order statistics.
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

  /// The quantile `p` over the trials, rounded up to the next order statistic; nil where it is infinite. Its interval
  /// from order statistics as that of `median`.
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

  /// The mean of one value per trial; its interval from their standard deviation.
  package static func mean(_ values: [Double?]) -> Figure {
    let values = values.compactMap { $0 }
    let n = Double(values.count)
    guard n > 0 else { return Figure(count: 0) }
    let mean = values.reduce(0, +) / n
    guard values.count > 1 else { return Figure(value: mean, count: 1) }
    let variance = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / (n - 1)
    let half = z * (variance / n).squareRoot()
    guard half.isFinite else { return Figure(value: mean, count: values.count) }
    return Figure(value: mean, interval: (mean - half)...(mean + half), count: values.count)
  }

  /// The fraction `sum of hits / sum of all`. Updates of one trial are correlated, so the interval is over trials, not
  /// updates: Wilson's, with the effective number of independent draws from the variance between trials.
  ///
  /// Sources: Wilson, JASA 22, 1927, doi:10.1080/01621459.1927.10502953; Cochran, "Sampling Techniques", 3rd ed., Wiley
  /// 1977, section 3.12 (ratio of cluster totals).
  package static func fraction(_ trials: [(hits: Int, all: Int)]) -> Figure {
    let clusters = trials.filter { $0.all > 0 }
    let all = clusters.reduce(0.0) { $0 + Double($1.all) }
    guard all > 0 else { return Figure(count: 0) }
    let fraction = clusters.reduce(0.0) { $0 + Double($1.hits) } / all
    let count = clusters.count
    guard count > 1 else { return Figure(value: fraction, count: count) }
    let n = Double(count)
    let squares = clusters.reduce(0.0) { sum, c in
      let residual = Double(c.hits) - fraction * Double(c.all)
      return sum + residual * residual
    }
    let variance = n / (n - 1) * squares / (all * all)
    // If every trial has the same fraction the variance is zero: then a trial counts as one draw.
    let draws = variance > 0 ? min(max(fraction * (1 - fraction) / variance, 1), all) : n
    let centre = (fraction + z * z / (2 * draws)) / (1 + z * z / draws)
    let half = z / (1 + z * z / draws) * (fraction * (1 - fraction) / draws + z * z / (4 * draws * draws)).squareRoot()
    let interval = max(0, min(fraction, centre - half))...min(1, max(fraction, centre + half))
    return Figure(value: fraction, interval: interval, count: count)
  }

  /// The median of `pairs.0` over the median of `pairs.1`, on the same draws; nil where either is not finite. Its
  /// interval as that of `ratioOfQuantiles` with one pair per trial.
  package static func ratioOfMedians(_ pairs: [(Double, Double)]) -> Figure {
    ratioOfQuantiles(pairs.map { [$0] }, 0.5)
  }

  /// The quantile `p` of all `trials[_].0` over that of all `trials[_].1`; its interval by the bootstrap over the
  /// trials.
  package static func ratioOfQuantiles(_ trials: [[(Double, Double)]], _ p: Double) -> Figure {
    func quantile(_ values: [Double]) -> Double? {
      let sorted = values.sorted()
      guard !sorted.isEmpty else { return nil }
      // Linear between order statistics; infinite values stay infinite.
      let rank = p * Double(sorted.count - 1)
      let (low, fraction) = (Int(rank), rank - rank.rounded(.down))
      return fraction > 0 ? sorted[low] + fraction * (sorted[low + 1] - sorted[low]) : sorted[low]
    }
    return bootstrapped(trials.filter { !$0.isEmpty }) { drawn in
      let drawn = drawn.flatMap(\.self)
      guard let above = quantile(drawn.map(\.0)), let below = quantile(drawn.map(\.1)), below > 0,
        above.isFinite, below.isFinite
      else { return nil }
      return above / below
    }
  }

  /// The fraction over all `ours` divided by the fraction over all `theirs`; nil where the latter is zero. Its interval
  /// by the bootstrap over the trials.
  package static func ratioOfFractions(
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

  /// A statistic of all trials with its percentile bootstrap interval; none for fewer than ten trials. Whole trials are
  /// resampled because values of one trial are correlated. The generator has a fixed seed.
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
