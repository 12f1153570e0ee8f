import Foundation

/// Fits the error model of a real link to its true range errors, for the ideal observer.
extension RangeErrorModel {
  /// A range is impaired (NLOS or outlier) when its error differs from the link's median by more than this many
  /// 1-sigmas.
  private static let impairedSigmas = 4.0
  /// Errors are clipped at this many 1-sigmas before their products are taken.
  private static let clippedSigmas = 3.0
  /// Fewest unimpaired ranges for a fit.
  private static let fewest = 30

  /// Which ranges are NLOS or outliers, by definition: their true error (metres) differs from the link's median by more
  /// than four 1-sigmas. The 1-sigma is 1.4826 times the median absolute deviation of the link's errors.
  ///
  /// The observer leaves these out. No real filter can identify them all: this is part of what makes it ideal.
  package static func impaired(_ errors: [Double]) -> [Bool] {
    guard let (level, sigma) = robustSize(errors) else { return errors.map { _ in false } }
    return errors.map { abs($0 - level) > impairedSigmas * sigma }
  }

  /// Standard deviations and correlation time of the errors (metres) of ranges at `times` (seconds, in order), without
  /// impaired ones.
  ///
  /// The total 1-sigma is 1.4826 times the median absolute deviation. It is split by the autocorrelation r of the
  /// clipped residuals at lags up to 10 s: least squares of `r(lag) = A exp(-lag / memory)`, weighted by the number of
  /// pairs. The coloured variance is A of the total. White noise is at least a tenth of the total.
  ///
  /// - Returns: nil for fewer than 30 unimpaired ranges or errors of zero spread.
  package static func fitted(
    errors: [Double], times: [Double], constant: Double = 0.15, elevationPrior: Double = 35 * .pi / 180
  ) -> RangeErrorModel? {
    precondition(errors.count == times.count, "errors and times come in pairs")
    let unimpaired = zip(zip(errors, times), impaired(errors)).filter { !$1 }.map(\.0)
    guard unimpaired.count >= fewest, let (level, sigma) = robustSize(unimpaired.map(\.0)), sigma > 0 else {
      return nil
    }
    let clip = clippedSigmas * sigma
    let residuals = unimpaired.map { min(max($0.0 - level, -clip), clip) }
    let (fraction, memory) = correlation(of: residuals, at: unimpaired.map(\.1))
    let white = max((1 - fraction).squareRoot(), 0.1) * sigma
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

  /// Coloured fraction of the variance, 0...1, and its correlation time, seconds.
  private static func correlation(of residuals: [Double], at times: [Double]) -> (fraction: Double, memory: Double) {
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
    var best = (fraction: 0.0, memory: 1.0, cost: points.reduce(0) { $0 + $1.pairs * $1.value * $1.value })
    // Steps of a tenth of an octave, up to a thousand spacings.
    for k in 0...100 {
      let memory = spacing * pow(2, 0.1 * Double(k))
      var (xy, xx) = (0.0, 0.0)
      for point in points {
        let x = exp(-point.lag / memory)
        xy += point.pairs * x * point.value
        xx += point.pairs * x * x
      }
      let fraction = xx > 0 ? min(max(xy / xx, 0), 1) : 0
      let cost = points.reduce(0.0) {
        let residual = $1.value - fraction * exp(-$1.lag / memory)
        return $0 + $1.pairs * residual * residual
      }
      if cost < best.cost { best = (fraction, memory, cost) }
    }
    return (best.fraction, best.memory)
  }
}
