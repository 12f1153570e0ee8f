import Foundation

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
