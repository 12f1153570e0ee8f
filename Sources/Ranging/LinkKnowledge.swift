/// Posterior of the radio's parameters, without the peer's position: it is kept when a trajectory is restarted.
package struct LinkKnowledge: Sendable {
  /// Constant bias, metres: mean and variance.
  package var bias: (mean: Double, variance: Double)
  /// Noise candidates with their estimated white parts and posterior probabilities.
  package var noises: [(noise: RangeNoise, probability: Double)]
  /// NLOS rate of the link.
  package var nlosRate: NLOSRateEstimator
}

extension PeerFilter {
  /// Posterior of the radio's parameters; nil before initialisation.
  package var linkKnowledge: LinkKnowledge? {
    guard let set = hypotheses, let merged else { return knowledge }
    let (n, bias) = (layout.dimension, layout.bias)
    let probabilities = noiseProbabilities(set)
    // A diverged filter may contain NaN.
    guard merged.mean[bias].isFinite, merged.covariance[bias * (n + 1)] >= 0 else { return knowledge }
    return LinkKnowledge(
      bias: (merged.mean[bias], merged.covariance[bias * (n + 1)]),
      noises: zip(set.noises, probabilities).filter { $0.1 > 0 }.map { (noise: $0, probability: $1) },
      nlosRate: nlosRate)
  }

  /// The same filter with known radio parameters and no information on the position.
  package func withLinkKnowledge(_ knowledge: LinkKnowledge?) -> PeerFilter {
    var copy = self
    copy.knowledge = knowledge
    if let knowledge { copy.nlosRate = knowledge.nlosRate }
    return copy
  }
}
