/// What is known of a link's radio, whatever is believed of where the peer is: it outlives a trajectory that begins anew.
package struct LinkKnowledge: Sendable {
  /// Constant bias, metres: mean and variance.
  package var bias: (mean: Double, variance: Double)
  /// Candidates for the noise as far as it has been learnt, and their shares.
  package var noises: [(noise: RangeNoise, share: Double)]
  /// How often its sight was lost.
  package var sight: NLOSRateEstimator
}

extension PeerFilter {
  /// What it tells of the radio; nil before there are hypotheses.
  package var linkKnowledge: LinkKnowledge? {
    guard let set = hypotheses, let merged else { return knowledge }
    let (n, bias) = (layout.dimension, layout.bias)
    let shares = noiseShares(set)
    // What a filter that is given up believed may be no number.
    guard merged.mean[bias].isFinite, merged.covariance[bias * (n + 1)] >= 0 else { return knowledge }
    return LinkKnowledge(
      bias: (merged.mean[bias], merged.covariance[bias * (n + 1)]),
      noises: zip(set.noises, shares).filter { $0.1 > 0 }.map { (noise: $0, share: $1) }, sight: sight)
  }

  /// A posterior that knows the radio and nothing of the place.
  package func knowing(_ knowledge: LinkKnowledge?) -> PeerFilter {
    var copy = self
    copy.knowledge = knowledge
    if let knowledge { copy.sight = knowledge.sight }
    return copy
  }
}
