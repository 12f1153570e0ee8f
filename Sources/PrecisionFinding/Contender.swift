import Estimator
import Ranging

/// One of the explanations that stand beside a belief: what is believed of the peer if it is right, and what speaks for it.
struct Contender {
  private(set) var posterior: PeerPosterior
  /// Natural logarithm of how much better it foretold the ranges than the belief did, since it began and what it began with.
  private(set) var evidence: Double
  /// Seconds since it began.
  private(set) var age = 0.0

  init(_ posterior: PeerPosterior, evidence: Double = 0) { (self.posterior, self.evidence) = (posterior, evidence) }

  /// Takes a range in: the logarithm of the density that it foretold; nil where it foretold nothing.
  ///
  /// - Parameter lost: what the trajectory lost since the range before.
  mutating func take(_ range: PeerPosterior.Range, lost: AccumulatedDrift) -> Double? {
    posterior.drift(position: lost.position, yawVariance: lost.yaw, device: range.device)
    return posterior.update(range)?.logDensity
  }

  /// Weighs it against the belief by how well either foretold a range.
  ///
  /// - Parameter foretold: logarithm of the belief's density; nil where it foretold nothing.
  mutating func weigh(_ range: PeerPosterior.Range, foretold: Double?, lost: AccumulatedDrift, seconds: Double) {
    age += seconds
    guard let own = take(range, lost: lost), let foretold else { return }
    evidence += ContradictionWatch.share(seconds) * (own - foretold)
  }
}
