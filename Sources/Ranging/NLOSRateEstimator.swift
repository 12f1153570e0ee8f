/// How often the sight of one link is lost, learnt from how long it was free and blocked so far.
///
/// Rooms differ: in some the sight is never blocked, in others every other second. Asked of each range anew, "has a small excess just begun?" costs width
/// wherever the rate is taken for larger than it is. Spells come as a Poisson process; the rate's prior is a Gamma distribution, which stays one (Gelman et al.,
/// Bayesian Data Analysis, 2.6). Spells are not counted by their beginnings, of which small ones are noticed late, but by the time they took.
package struct NLOSRateEstimator: Equatable, Sendable {
  private let expectedRate: Double
  private let worth: Double
  private let losReturnRate: Double
  private var free = 0.0
  private var blocked = 0.0

  /// Nothing seen yet; rates in 1/s.
  ///
  /// - Parameter worth: the rate that is expected at first counts as much as so many spells of the link's own.
  package init(losLossRate: Double, losReturnRate: Double, worth: Double = 1) {
    expectedRate = losLossRate
    self.worth = worth
    self.losReturnRate = losReturnRate
  }

  package init(_ configuration: RangingConfiguration) {
    self.init(
      losLossRate: configuration.losLossRate, losReturnRate: configuration.losReturnRate,
      worth: configuration.nlosRatePseudoCount)
  }

  /// Rate at which the sight is lost, 1/s: the mean of its posterior.
  package var losLossRate: Double {
    expectedRate * (worth + losReturnRate * blocked) / (worth + expectedRate * free)
  }

  /// Takes in the time since the last range. A silence that outlasts spells tells nothing of them.
  ///
  /// - Parameter probability: that the sight was free at that range.
  package mutating func note(seconds: Double, free probability: Double) {
    let told = min(abs(seconds), 1 / losReturnRate)
    free += told * probability
    blocked += told * (1 - probability)
  }
}
