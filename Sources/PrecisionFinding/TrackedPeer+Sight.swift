import Estimator
import Foundation
import Ranging

/// Free or blocked: the sight of a tracked peer.
extension TrackedPeer {
  func likelihood(_ innovation: Double, _ variance: Double) -> (value: RangeLikelihood, variance: Double) {
    (
      RangeLikelihood(
        innovation: innovation, variance: variance, grossShare: configuration.grossShare,
        grossSpread: configuration.grossSpread), variance
    )
  }

  /// Decides between a free and a blocked sight, and begins or ends a spell: its excess is a number of its own for as long as
  /// it lasts, so that a blocked sight neither moves the peer nor contradicts it.
  mutating func judgeSight(
    _ innovation: Double, variance: Double, free: RangeLikelihood, filter: any NavigationFilter
  ) {
    let state = filter.vector(block)
    let flutter = configuration.blockedNoise * configuration.blockedNoise
    let fresh = configuration.excessSpread * configuration.excessSpread
    // While blocked, `variance` already holds that of the excess.
    let (mean, extra) = isBlocked ? (state[layout.excess], flutter) : (configuration.excessMean, flutter + fresh)
    let own = isBlocked ? filter.covariance.marginal([block])[layout.excess * (layout.dimension + 1)] : fresh
    // An excess cannot be negative: see `HypothesisScratch.assimilate`.
    let before = CutNormal(mean: mean, variance: own)
    let gain = own / (variance + extra)
    let after = CutNormal(mean: mean + gain * (innovation - mean), variance: own * (1 - gain))
    let ifFree = isBlocked ? likelihood(innovation, max(variance - own, 1e-6)).value.total : free.total
    let ifBlocked = likelihood(innovation - mean, variance + extra).value.total * after.share / before.share
    logDensity = log(max(chain.free * ifFree + (1 - chain.free) * ifBlocked, 1e-300))
    chain.update(likelihoodFree: ifFree, likelihoodBlocked: ifBlocked)
    let blockedNow = chain.free < 0.5
    guard blockedNow != isBlocked else { return }
    isBlocked = blockedNow
    setExcess(to: blockedNow ? configuration.excessMean : 0, variance: blockedNow ? fresh : 0, filter)
  }

  /// Begins the excess anew, apart from everything else.
  func setExcess(to mean: Double, variance: Double, _ filter: any NavigationFilter) {
    var state = filter.vector(block)
    state[layout.excess] = mean
    filter.setVector(block, to: state)
    var decay = [Double](repeating: 1, count: state.count)
    decay[layout.excess] = 0
    var noise = [Double](repeating: 0, count: state.count)
    noise[layout.excess] = variance
    filter.covariance.addNoise(block, decay: decay, variance: noise)
  }

  /// An excess that no reflection has: the peer is elsewhere.
  func isPlausible(_ excess: Double) -> Bool {
    excess > -0.4 * configuration.excessSpread && excess < configuration.excessMean + 3 * configuration.excessSpread
  }
}
