import Estimator
import Ranging

/// One of the explanations that stand beside a belief: what is believed of the peer if it is right, and what speaks for it.
struct AlternativeModel {
  private(set) var posterior: PeerFilter
  /// Natural logarithm of how much better it logPredictiveDensity the ranges than the belief did, since it began and what it began with.
  private(set) var evidence: Double
  /// Seconds since it began.
  private(set) var age = 0.0

  init(_ posterior: PeerFilter, evidence: Double = 0) { (self.posterior, self.evidence) = (posterior, evidence) }

  /// Takes a range in: the logarithm of the density that it logPredictiveDensity; nil where it logPredictiveDensity nothing.
  ///
  /// - Parameter lost: what the trajectory lost since the range before.
  mutating func take(_ range: PeerFilter.Range, lost: AccumulatedDrift) -> Double? {
    posterior.drift(position: lost.position, yawVariance: lost.yaw, device: range.device)
    return posterior.update(range)?.logDensity
  }

  /// Weighs it against the belief by how well either logPredictiveDensity a range.
  ///
  /// - Parameter logPredictiveDensity: logarithm of the belief's density; nil where it logPredictiveDensity nothing.
  mutating func weigh(_ range: PeerFilter.Range, logPredictiveDensity: Double?, lost: AccumulatedDrift, seconds: Double) {
    age += seconds
    guard let own = take(range, lost: lost), let logPredictiveDensity else { return }
    evidence += CUSUMTest.share(seconds) * (own - logPredictiveDensity)
  }
}
