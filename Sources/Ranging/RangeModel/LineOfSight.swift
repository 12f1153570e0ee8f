import Foundation
import LeastSquares

/// LOS/NLOS of one link: a two-state Markov chain in continuous time.
///
/// A peer that is a state of the filter has one; components of a `GaussianSum` come in LOS/NLOS pairs instead.
package struct LineOfSightChain: Equatable, Sendable {
  /// Rate of LOS to NLOS, 1/s.
  package var losLossRate: Double
  private let losReturnRate: Double
  /// Probability of LOS at the last range.
  package private(set) var losProbability: Double

  /// A chain, stationary unless a probability is given; rates in 1/s.
  package init(losLossRate: Double, losReturnRate: Double, losProbability: Double? = nil) {
    self.losLossRate = losLossRate
    self.losReturnRate = losReturnRate
    self.losProbability = losProbability ?? losReturnRate / (losLossRate + losReturnRate)
  }

  /// Prediction over `seconds`: relaxes to the stationary probability at the sum of both rates.
  package mutating func predict(seconds: Double) {
    let rate = losLossRate + losReturnRate
    let stationary = losReturnRate / rate
    losProbability = stationary + (losProbability - stationary) * exp(-rate * abs(seconds))
  }

  /// Update by the likelihoods of a measurement; both zero leaves the chain unchanged.
  package mutating func update(losLikelihood: Double, nlosLikelihood: Double) {
    let a = losProbability * losLikelihood
    let b = (1 - losProbability) * nlosLikelihood
    if a + b > 0 { losProbability = min(max(a / (a + b), 1e-6), 1 - 1e-6) }
  }

  /// Update by the radio's report.
  package mutating func update(_ reported: ReportedNLOS) {
    update(losLikelihood: reported.losLikelihood, nlosLikelihood: reported.nlosLikelihood)
  }
}

/// Prior of the NLOS bias at the start of an NLOS interval: most are below a metre, a few are several metres.
///
/// A mixture of two normal distributions truncated at zero. With one alone, which has no tail, biases of five sigma
/// were decided by centimetres between components, and the wrong ones survived the NLOS interval.
package struct NLOSBiasPrior: Equatable, Sendable {
  /// The short biases, metres.
  package var near: TruncatedNormal
  /// The long biases, metres.
  package var far: TruncatedNormal
  /// Probability of a long bias.
  package var farProbability: Double

  package init(_ configuration: RangingConfiguration) {
    func part(_ spread: Double) -> TruncatedNormal {
      TruncatedNormal(mean: configuration.nlosMean, variance: spread * spread)
    }
    near = part(configuration.nlosSpread)
    far = part(configuration.longNLOSSpread)
    farProbability = configuration.longNLOSProbability
  }
}

/// Rate of LOS-to-NLOS transitions of one link, estimated from the LOS and NLOS durations so far.
///
/// The rate differs between rooms: with too large a rate, every range is tested for a small NLOS bias that has just
/// begun, which widens the posterior. NLOS intervals start as a Poisson process. The rate has a Gamma prior, which is
/// conjugate (Gelman et al., Bayesian Data Analysis, 2.6). Intervals are counted by their total duration and not by
/// their starts, because small biases are detected late.
package struct NLOSRateEstimator: Equatable, Sendable {
  private let expectedRate: Double
  private let pseudoCount: Double
  private let losReturnRate: Double
  private var losSeconds = 0.0
  private var nlosSeconds = 0.0

  /// Without data; rates in 1/s.
  ///
  /// - Parameter pseudoCount: weight of the prior rate in NLOS intervals.
  package init(losLossRate: Double, losReturnRate: Double, pseudoCount: Double = 1) {
    expectedRate = losLossRate
    self.pseudoCount = pseudoCount
    self.losReturnRate = losReturnRate
  }

  package init(_ configuration: RangingConfiguration) {
    self.init(
      losLossRate: configuration.losLossRate, losReturnRate: configuration.losReturnRate,
      pseudoCount: configuration.nlosRatePseudoCount)
  }

  /// Posterior mean of the rate of LOS to NLOS, 1/s.
  package var losLossRate: Double {
    expectedRate * (pseudoCount + losReturnRate * nlosSeconds) / (pseudoCount + expectedRate * losSeconds)
  }

  /// Processes the time since the last range. A gap longer than the mean NLOS interval counts as one of that length.
  ///
  /// - Parameter losProbability: probability of LOS at that range.
  package mutating func record(seconds: Double, losProbability: Double) {
    let counted = min(abs(seconds), 1 / losReturnRate)
    losSeconds += counted * losProbability
    nlosSeconds += counted * (1 - losProbability)
  }
}

/// Likelihoods of LOS and NLOS given the NLOS probability that a radio reports.
///
/// The odds are bounded by 10 to 1 per NLOS interval, because errors of the report are correlated as long as the
/// surroundings last. If every report counted as independent, a radio that always reports NLOS would outweigh any
/// range.
package struct ReportedNLOS: Equatable, Sendable {
  /// Likelihoods of the report, up to a common factor.
  package let losLikelihood, nlosLikelihood: Double

  /// - Parameters:
  ///   - probability: reported probability of NLOS, 0...1.
  ///   - seconds: since the previous report.
  ///   - rate: of LOS/NLOS transitions, 1/s: reports `1 / rate` apart are independent.
  package init(probability: Double, seconds: Double, rate: Double) {
    let p = min(max(probability, 0), 1)
    let weight = 1 - exp(-rate * max(seconds, 0))
    losLikelihood = pow(0.1 + (1 - p), weight)
    nlosLikelihood = pow(0.1 + p, weight)
  }
}

/// A normal distribution truncated to positive values: the NLOS bias.
///
/// With `a = mean / sigma` and the normal density phi and distribution Phi: the probability above zero is `Phi(a)`, the
/// mean of that part `mean + sigma l` with `l = phi(a) / Phi(a)`, its variance `sigma^2 (1 - l (l + a))`. Source:
/// Johnson, Kotz, Balakrishnan, "Continuous univariate distributions" 1, 1994, 13.10.1.
package struct TruncatedNormal: Equatable, Sendable {
  /// Mean before truncation.
  package let mean: Double
  /// Variance before truncation.
  package let variance: Double

  package init(mean: Double, variance: Double) {
    self.mean = mean
    self.variance = variance
  }

  /// Probability above zero, at least 1e-9 because it is a divisor; 1 where the variance is zero.
  @inlinable package var probabilityAboveZero: Double {
    // Beyond six sigma it is 1, to nine digits.
    guard variance > 0, mean < 0 || mean * mean < 36 * variance else { return 1 }
    return max(0.5 * erfc(-mean / (2 * variance).squareRoot()), 1e-9)
  }

  /// Mean and variance of the truncated distribution.
  package var moments: (mean: Double, variance: Double) {
    guard variance > 0 else { return (mean, 0) }
    let sigma = variance.squareRoot()
    let a = mean / sigma
    let l = NormalDistribution.density(a) / probabilityAboveZero
    return (mean + sigma * l, max(variance * (1 - l * (l + a)), 0))
  }
}
