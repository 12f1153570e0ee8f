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
