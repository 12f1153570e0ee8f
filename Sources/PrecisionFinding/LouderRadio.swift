import Estimator
import Foundation
import Ranging

/// What else a change of the ranges may be, when nobody walks: the same belief of a radio that errs more from now on.
///
/// What surrounds device and peer makes a radio err, by centimetres here and by decimetres a step further. A link's noise is learnt
/// where its search began; errors that are larger than it allows would pass for a walk, for nothing else explains them.
struct LouderRadio {
  private var posterior: PeerPosterior
  /// What speaks for it, natural logarithm of how much better it foretold the ranges than the belief did.
  private(set) var evidence = 0.0

  /// - Parameter belief: what is believed; nil where its radio cannot be any louder.
  init?(_ belief: PeerPosterior) {
    guard let louder = belief.louder else { return nil }
    posterior = louder
  }

  /// Weighs it by how well it foretold a range.
  ///
  /// - Parameters: as of `WalkRival.weigh`.
  mutating func weigh(_ range: PeerPosterior.Range, foretold: Double?, lost: AccumulatedDrift, seconds: Double) {
    posterior.drift(position: lost.position, yawVariance: lost.yaw, device: range.device)
    guard let foretold, let own = posterior.update(range)?.logDensity else { return }
    evidence += ContradictionWatch.share(seconds) * (own - foretold)
  }

  /// What is believed of the peer if it is right.
  var belief: PeerPosterior { posterior }
}
