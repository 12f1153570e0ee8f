import Foundation

/// Whether the first path is free: a two-state Markov chain in continuous time, one per link.
///
/// For a peer that is a state of the filter; hypotheses carry theirs in pairs.
package struct LineOfSightChain: Equatable, Sendable {
  /// Rate at which the sight is lost, 1/s.
  package var losLossRate: Double
  private let losReturnRate: Double
  /// Probability that the sight was free at the last range.
  package private(set) var free: Double

  /// A chain, in its stationary state unless a probability is given; rates in 1/s.
  package init(losLossRate: Double, losReturnRate: Double, free: Double? = nil) {
    self.losLossRate = losLossRate
    self.losReturnRate = losReturnRate
    self.free = free ?? losReturnRate / (losLossRate + losReturnRate)
  }

  /// The chain after `seconds` without a range: relaxes to its stationary state at the sum of both rates.
  package mutating func predict(seconds: Double) {
    let rate = losLossRate + losReturnRate
    let stationary = losReturnRate / rate
    free = stationary + (free - stationary) * exp(-rate * abs(seconds))
  }

  /// Bayes' rule with the likelihoods of what was measured; both zero leaves the chain as it is.
  package mutating func update(losLikelihood: Double, nlosLikelihood: Double) {
    let a = free * losLikelihood
    let b = (1 - free) * nlosLikelihood
    if a + b > 0 { free = min(max(a / (a + b), 1e-6), 1 - 1e-6) }
  }

  /// Takes in the radio's own guess.
  package mutating func update(_ guess: ReportedNLOS) {
    update(losLikelihood: guess.losLikelihood, nlosLikelihood: guess.nlosLikelihood)
  }
}
