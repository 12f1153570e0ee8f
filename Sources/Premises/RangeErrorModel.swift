import Foundation

/// Likelihood of the residuals of a link under what radios do: white noise, an error that lasts, and outliers.
///
/// `e_k = g_k + w_k` with a Gauss-Markov process g (1-sigma s, correlation time tau) and white noise w; a share of the ranges is longer or, far
/// more seldom, shorter by an exponentially distributed error. The scalar Kalman filter gives `log p(e_1 ... e_n)`; the noise is the best of
/// a lattice of candidates. Errors that last are what makes a plain sum of squares call a wrong set-up right, and a right one wrong.
/// Source of the process: as `RangeNoise`.
package struct RangeErrorModel {
  /// The noise of one link.
  package struct Noise: Equatable {
    /// 1-sigma of the white part and of the lasting part, metres.
    package var white: Double
    package var lasting: Double
    /// Correlation time of that, seconds.
    package var time: Double
    /// Both together, metres.
    package var total: Double { (white * white + lasting * lasting).squareRoot() }
  }

  /// The candidates.
  static let candidates: [Noise] = [0.02, 0.06, 0.15, 0.4].flatMap { white in
    [0.005, 0.05, 0.12, 0.3].flatMap { lasting in [0.3, 2.0].map { Noise(white: white, lasting: lasting, time: $0) } }
  }
  /// Shares of ranges that are too long and too short, and the mean of such errors, metres.
  private static let outliers = (long: 0.05, short: 0.005, size: 1.5)

  /// The outcome.
  package struct Outcome {
    package var logLikelihood: Double
    package var noise: Noise
    /// Probability that each residual is none of an outlier's.
    package var regular: [Double]
    /// Each residual's share of the log likelihood, given those before it.
    package var terms: [Double]
  }

  /// The likelihood of residuals at times in seconds, both in time order.
  ///
  /// Cost: O(candidates * residuals).
  package static func evaluate(_ residuals: [Double], at seconds: [Double]) -> Outcome {
    var best = Outcome(logLikelihood: -.infinity, noise: candidates[0], regular: [], terms: [])
    var regular = [Double](repeating: 1, count: residuals.count), terms = regular
    for noise in candidates {
      let sum = logLikelihood(residuals, seconds, noise, &regular, &terms)
      if sum > best.logLikelihood {
        best = Outcome(logLikelihood: sum, noise: noise, regular: regular, terms: terms)
      }
    }
    return best
  }

  private static func logLikelihood(
    _ residuals: [Double], _ seconds: [Double], _ noise: Noise, _ regular: inout [Double], _ terms: inout [Double]
  ) -> Double {
    let (w, s) = (noise.white * noise.white, noise.lasting * noise.lasting)
    var (mean, variance, sum, last) = (0.0, s, 0.0, seconds.first ?? 0)
    for k in residuals.indices {
      let decay = exp((last - seconds[k]) / noise.time)
      last = seconds[k]
      mean *= decay
      variance = decay * decay * variance + s * (1 - decay * decay)
      let (innovation, total) = (residuals[k] - mean, variance + w)
      let (density, good) = density(innovation, variance: total)
      (terms[k], regular[k]) = (log(density), good)
      sum += terms[k]
      let gain = variance / total * regular[k]
      mean += gain * innovation
      variance -= gain * variance
    }
    return sum
  }

  /// The density of an innovation, outliers included, and the probability that it is none.
  static func density(_ innovation: Double, variance: Double) -> (value: Double, regular: Double) {
    let share = 1 - outliers.long - outliers.short
    let good = share * exp(-0.5 * innovation * innovation / variance) / (2 * .pi * variance).squareRoot()
    // However far off, a range has a density: else no hypothesis would be finite.
    let bad = max(
      (innovation > 0 ? outliers.long : outliers.short) * exp(-abs(innovation) / outliers.size) / outliers.size, 1e-12)
    return (good + bad, good / (good + bad))
  }
}
