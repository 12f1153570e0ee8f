import Foundation

/// What a radio itself says of its sight, and what that is worth.
///
/// Trusted as far as odds of 10 to 1, once for each spell: a guess errs by what surrounds the peer, as long as that lasts. Told with every
/// range and taken for as many opinions, a radio that always says "blocked" would be believed against any range.
package struct ReportedNLOS: Equatable, Sendable {
  /// Likelihoods of the guess, up to a factor, if the sight is free, and if it is blocked.
  package let losLikelihood, nlosLikelihood: Double

  /// - Parameters:
  ///   - blocked: 0 free ... 1 blocked.
  ///   - seconds: since the guess before.
  ///   - rate: at which sights change, 1/s: a guess that is so much later is an opinion of its own.
  package init(blocked: Double, seconds: Double, rate: Double) {
    let p = min(max(blocked, 0), 1)
    let worth = 1 - exp(-rate * max(seconds, 0))
    losLikelihood = pow(0.1 + (1 - p), worth)
    nlosLikelihood = pow(0.1 + p, worth)
  }
}
