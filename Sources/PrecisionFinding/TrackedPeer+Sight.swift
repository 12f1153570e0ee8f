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
    let flutter = configuration.blockedNoise * configuration.blockedNoise
    let prior = ExcessPrior(configuration)
    var (ifFree, fresh) = (free.total, prior.near)
    let ifBlocked: Double
    if isBlocked {
      let own = CutNormal(
        mean: filter.vector(block)[layout.excess],
        variance: filter.covariance.marginal([block])[layout.excess * (layout.dimension + 1)])
      // While blocked, `variance` already holds that of the excess.
      ifFree = likelihood(innovation, max(variance - own.variance, 1e-6)).value.total
      ifBlocked = density(innovation, variance: variance + flutter, excess: own)
    } else {
      let (near, far) = (
        (1 - prior.farShare)
          * density(innovation, variance: variance + flutter + prior.near.variance, excess: prior.near),
        prior.farShare * density(innovation, variance: variance + flutter + prior.far.variance, excess: prior.far)
      )
      ifBlocked = near + far
      if far > near { fresh = prior.far }
    }
    logDensity = log(max(chain.free * ifFree + (1 - chain.free) * ifBlocked, 1e-300))
    chain.update(likelihoodFree: ifFree, likelihoodBlocked: ifBlocked)
    let blockedNow = chain.free < 0.5
    guard blockedNow != isBlocked else { return }
    isBlocked = blockedNow
    setExcess(to: blockedNow ? fresh.mean : 0, variance: blockedNow ? fresh.variance : 0, filter)
  }

  /// Density of a range while the sight is blocked, 1/m; `variance` holds that of the excess. An excess cannot be negative: see
  /// `Way::assimilate` of the kernel.
  private func density(_ innovation: Double, variance: Double, excess: CutNormal) -> Double {
    let gain = excess.variance / variance
    let after = CutNormal(
      mean: excess.mean + gain * (innovation - excess.mean), variance: excess.variance * (1 - gain))
    return likelihood(innovation - excess.mean, variance).value.total * after.share / excess.share
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

  /// An excess that a single normal distribution need not doubt. Below it the peer is elsewhere; above, it may have left or be
  /// behind a wall, which many hypotheses tell apart and one cannot.
  func isPlausible(_ excess: Double) -> Bool {
    excess > -0.4 * configuration.excessSpread && excess < configuration.excessMean + 3 * configuration.excessSpread
  }
}
