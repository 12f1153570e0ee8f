import Foundation

/// The model of a real link, from its true range errors: what the observer is allowed to know where nobody knows the model.
extension RangeErrorModel {
  /// A range is impaired when its error is off the link's median by more than this many 1-sigmas.
  private static let impairedSigmas = 4.0
  /// Errors are clipped at this many 1-sigmas before their products are taken.
  private static let clippedSigmas = 3.0
  /// Fewer free ranges than this say nothing about correlation.
  private static let fewest = 30

  /// Which ranges had no free sight or are grossly wrong, by definition: their true error (metres) is off the link's median by more than four
  /// 1-sigmas, the 1-sigma being 1.4826 times the median absolute deviation of the link's errors.
  ///
  /// The observer leaves these out. No real filter can know them all: this is part of what makes it ideal.
  package static func impaired(_ errors: [Double]) -> [Bool] {
    guard let (level, sigma) = robustSize(errors) else { return errors.map { _ in false } }
    return errors.map { abs($0 - level) > impairedSigmas * sigma }
  }

  /// Sizes and memory of the errors (metres) of the ranges at `times` (seconds, in order), impaired ones left out.
  ///
  /// The size is robust: 1.4826 times the median absolute deviation. Its split comes from the autocorrelation r of the
  /// clipped residuals at lags up to ten seconds: `r(lag) = A exp(-lag / memory)` in least squares, weighted by the number
  /// of pairs, the coloured variance is A of the total. White noise is held at or above a tenth of the size.
  ///
  /// - Returns: nil for fewer than 30 free ranges or errors without any spread.
  package static func fitted(
    errors: [Double], times: [Double], constant: Double = 0.15, elevationPrior: Double = 35 * .pi / 180
  ) -> RangeErrorModel? {
    precondition(errors.count == times.count, "errors and times come in pairs")
    let free = zip(zip(errors, times), impaired(errors)).filter { !$1 }.map(\.0)
    guard free.count >= fewest, let (level, sigma) = robustSize(free.map(\.0)), sigma > 0 else { return nil }
    let clip = clippedSigmas * sigma
    let residuals = free.map { min(max($0.0 - level, -clip), clip) }
    let (share, memory) = correlation(of: residuals, at: free.map(\.1))
    let white = max((1 - share).squareRoot(), 0.1) * sigma
    return RangeErrorModel(
      white: white, coloured: max(sigma * sigma - white * white, 0).squareRoot(), memory: memory, constant: constant,
      elevationPrior: elevationPrior)
  }

  /// Median and 1.4826 times the median absolute deviation; nil without finite errors.
  private static func robustSize(_ errors: [Double]) -> (level: Double, sigma: Double)? {
    func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
    guard !errors.isEmpty, errors.allSatisfy(\.isFinite) else { return nil }
    let level = median(errors)
    return (level, 1.4826 * median(errors.map { abs($0 - level) }))
  }

  /// Share of the variance that is coloured, 0...1, and its memory, seconds.
  private static func correlation(of residuals: [Double], at times: [Double]) -> (share: Double, memory: Double) {
    let spacings = zip(times, times.dropFirst()).map { $1 - $0 }.filter { $0 > 0 }.sorted()
    guard let spacing = spacings.isEmpty ? nil : spacings[spacings.count / 2] else { return (0, 1) }
    let variance = residuals.reduce(0) { $0 + $1 * $1 } / Double(residuals.count)
    let longest = min(10, 0.25 * (times[times.count - 1] - times[0]))
    var points: [(lag: Double, value: Double, pairs: Double)] = []
    for steps in [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96] where Double(steps) * spacing <= longest {
      let lag = Double(steps) * spacing
      var (sum, pairs, j) = (0.0, 0.0, 0)
      for i in residuals.indices {
        while j < residuals.count, times[j] < times[i] + lag - 0.5 * spacing { j += 1 }
        guard j < residuals.count, times[j] <= times[i] + lag + 0.5 * spacing else { continue }
        sum += residuals[i] * residuals[j]
        pairs += 1
      }
      if pairs > 0 { points.append((lag, sum / pairs / variance, pairs)) }
    }
    var best = (share: 0.0, memory: 1.0, cost: points.reduce(0) { $0 + $1.pairs * $1.value * $1.value })
    // A tenth of an octave apart, up to a thousand spacings.
    for k in 0...100 {
      let memory = spacing * pow(2, 0.1 * Double(k))
      var (xy, xx) = (0.0, 0.0)
      for point in points {
        let x = exp(-point.lag / memory)
        xy += point.pairs * x * point.value
        xx += point.pairs * x * x
      }
      let share = xx > 0 ? min(max(xy / xx, 0), 1) : 0
      let cost = points.reduce(0.0) {
        let residual = $1.value - share * exp(-$1.lag / memory)
        return $0 + $1.pairs * residual * residual
      }
      if cost < best.cost { best = (share, memory, cost) }
    }
    return (best.share, best.memory)
  }
}
