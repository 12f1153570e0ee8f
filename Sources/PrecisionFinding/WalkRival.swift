import Estimator
import Foundation
import Geometry
import Ranging

/// Watches whether a peer that is taken to stand has begun to walk, or one that is taken to walk has stopped.
///
/// Beside the belief stands its rival, which is the same belief but for that. Both foretell every range; as long as nothing speaks for
/// the rival it begins anew from the belief, so that its walk begins where the evidence does (Page's test, see
/// `ContradictionWatch`). A rival that wins takes over with all it knows: the peer is followed, not searched for.
package struct WalkRival {
  /// How often a rival for which nothing speaks begins anew, seconds.
  private static let renewal = 0.3
  /// A rival needs no more hypotheses than this: it is about one place, and lives for seconds.
  private static let hypothesisLimit = 200

  /// What part of the logarithm of the odds at which a walking rival takes over is reserve: beyond that it is likelier than not. What
  /// is believed of a radio's errors is wrong at times, and to be unsure costs less than to follow a peer that stands.
  private static let reserve = 4.5 / 14

  private let limit: Double
  private var candidate: PeerPosterior?
  private var watch: ContradictionWatch
  private var age = 0.0

  /// - Parameter limit: logarithm of the odds at which the rival takes over.
  package init(limit: Double) {
    self.limit = limit
    watch = ContradictionWatch(limit: limit)
  }

  /// The rival, free to grow; nil where there is none.
  package var posterior: PeerPosterior? {
    candidate.map { $0.limited(to: nil) }
  }
  /// Probability that the rival is right, 0...1.
  package var probability: Double {
    guard let candidate else { return 0 }
    return 1 / (1 + exp(limit * (candidate.walks ? 1 - Self.reserve : 1) - watch.evidence))
  }
  /// What speaks for it, natural logarithm of the odds.
  package var evidence: Double { candidate == nil ? 0 : watch.evidence }

  /// Weighs the rival against the belief by how well either foretold a range; true when the rival is to take over.
  ///
  /// - Parameters:
  ///   - foretold: logarithm of the belief's density; nil where it foretold nothing.
  ///   - lost: what the trajectory lost since the range before.
  package mutating func weigh(
    _ range: PeerPosterior.Range, foretold: Double?, lost: AccumulatedDrift, seconds: Double
  ) -> Bool {
    guard candidate != nil else { return false }
    age += seconds
    candidate!.drift(position: lost.position, yawVariance: lost.yaw, device: range.device)
    let own = candidate!.update(range)?.logDensity
    return watch.note(belief: foretold, alone: own, seconds: seconds)
  }

  /// Begins anew from a belief, where nothing speaks for the rival and the time has come.
  package mutating func renew(from belief: @autoclosure () -> PeerPosterior?) {
    guard candidate == nil || (watch.evidence == 0 && age >= Self.renewal) else { return }
    watch.reset()
    age = 0
    candidate = belief().map { ($0.walks ? $0.standing : $0.walking).limited(to: Self.hypothesisLimit) }
  }

  /// Nothing is to be compared for now.
  package mutating func dismiss() {
    candidate = nil
    watch.reset()
  }
}
