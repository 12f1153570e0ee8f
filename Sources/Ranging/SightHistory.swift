/// How often the sight of one link is lost, learnt from how long it was free and blocked so far.
///
/// Rooms differ: in some the sight is never blocked, in others every other second. Asked of each range anew, "has a small excess just begun?" costs width
/// wherever the rate is taken for larger than it is. Spells come as a Poisson process; the rate's prior is a Gamma distribution, which stays one (Gelman et al.,
/// Bayesian Data Analysis, 2.6). Spells are not counted by their beginnings, of which small ones are noticed late, but by the time they took.
package struct SightHistory: Equatable, Sendable {
  private let expectedRate: Double
  private let worth: Double
  private let clearingRate: Double
  private var free = 0.0
  private var blocked = 0.0

  /// Nothing seen yet; rates in 1/s.
  ///
  /// - Parameter worth: the rate that is expected at first counts as much as so many spells of the link's own.
  package init(blockingRate: Double, clearingRate: Double, worth: Double = 1) {
    expectedRate = blockingRate
    self.worth = worth
    self.clearingRate = clearingRate
  }

  package init(_ configuration: RangingConfiguration) {
    self.init(
      blockingRate: configuration.blockingRate, clearingRate: configuration.clearingRate,
      worth: configuration.blockingWorth)
  }

  /// Rate at which the sight is lost, 1/s: the mean of its posterior.
  package var blockingRate: Double {
    expectedRate * (worth + clearingRate * blocked) / (worth + expectedRate * free)
  }

  /// Takes in the time since the last range. A silence that outlasts spells tells nothing of them.
  ///
  /// - Parameter probability: that the sight was free at that range.
  package mutating func note(seconds: Double, free probability: Double) {
    let told = min(abs(seconds), 1 / clearingRate)
    free += told * probability
    blocked += told * (1 - probability)
  }
}
