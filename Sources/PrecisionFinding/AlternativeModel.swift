import Estimator
import Ranging

/// An alternative hypothesis beside the incumbent: its filter and its log likelihood ratio.
struct AlternativeModel {
  private(set) var posterior: PeerFilter
  /// Natural logarithm of the ratio of its predictive densities to the incumbent's since it started, plus its initial
  /// log odds.
  private(set) var logLikelihoodRatio: Double
  /// Seconds since it started.
  private(set) var age = 0.0

  init(_ posterior: PeerFilter, logLikelihoodRatio: Double = 0) {
    (self.posterior, self.logLikelihoodRatio) = (posterior, logLikelihoodRatio)
  }

  /// Updates the filter with a range.
  ///
  /// - Parameter lost: drift of the trajectory since the previous range.
  /// - Returns: the log predictive density of the range; nil where the filter predicts none.
  mutating func update(_ range: PeerFilter.Range, lost: AccumulatedDrift) -> Double? {
    posterior.drift(position: lost.position, yawVariance: lost.yaw, device: range.device)
    return posterior.update(range)?.logDensity
  }

  /// Updates the filter and the log likelihood ratio with a range.
  ///
  /// - Parameter logPredictiveDensity: the incumbent's; nil where it predicts none.
  mutating func update(
    _ range: PeerFilter.Range, logPredictiveDensity: Double?, lost: AccumulatedDrift, seconds: Double
  ) {
    age += seconds
    guard let own = update(range, lost: lost), let logPredictiveDensity else { return }
    logLikelihoodRatio += PageCUSUM.informationFraction(seconds) * (own - logPredictiveDensity)
  }
}
