import Estimator
import Foundation
import Ranging

/// Free or blocked: the sight of a tracked peer.
extension TrackedPeer {
  func likelihood(_ innovation: Double, _ variance: Double) -> (value: RangeLikelihood, variance: Double) {
    (
      RangeLikelihood(
        innovation: innovation, variance: variance, rangeOutlierProbability: configuration.rangeOutlierProbability,
        rangeOutlierScale: configuration.rangeOutlierScale), variance
    )
  }

  /// Decides between a free and a blocked sight, and begins or ends a spell: its excess is a number of its own for as long as
  /// it lasts, so that a blocked sight neither moves the peer nor contradicts it.
  mutating func judgeObservation(
    _ innovation: Double, variance: Double, free: RangeLikelihood, filter: any NavigationFilter
  ) {
    let flutter = configuration.nlosNoise * configuration.nlosNoise
    let prior = NLOSBiasPrior(configuration)
    var (ifLOS, fresh) = (free.total, prior.near)
    let ifNLOS: Double
    if isBlocked {
      let own = TruncatedNormal(
        mean: filter.vector(block)[layout.excess],
        variance: filter.covariance.marginal([block])[layout.excess * (layout.dimension + 1)])
      // While blocked, `variance` already holds that of the excess.
      ifLOS = likelihood(innovation, max(variance - own.variance, 1e-6)).value.total
      ifNLOS = density(innovation, variance: variance + flutter, excess: own)
    } else {
      let (near, far) = (
        (1 - prior.farShare)
          * density(innovation, variance: variance + flutter + prior.near.variance, excess: prior.near),
        prior.farShare * density(innovation, variance: variance + flutter + prior.far.variance, excess: prior.far)
      )
      ifNLOS = near + far
      if far > near { fresh = prior.far }
    }
    logDensity = log(max(chain.free * ifLOS + (1 - chain.free) * ifNLOS, 1e-300))
    chain.update(losLikelihood: ifLOS, nlosLikelihood: ifNLOS)
    let nlosNow = chain.free < 0.5
    guard nlosNow != isBlocked else { return }
    isBlocked = nlosNow
    setNLOSBias(to: nlosNow ? fresh.mean : 0, variance: nlosNow ? fresh.variance : 0, filter)
  }

  /// Density of a range while the sight is blocked, 1/m; `variance` holds that of the excess. An excess cannot be negative: see
  /// `Way::assimilate` of the kernel.
  private func density(_ innovation: Double, variance: Double, excess: TruncatedNormal) -> Double {
    let gain = excess.variance / variance
    let after = TruncatedNormal(
      mean: excess.mean + gain * (innovation - excess.mean), variance: excess.variance * (1 - gain))
    return likelihood(innovation - excess.mean, variance).value.total * after.share / excess.share
  }

  /// Begins the excess anew, apart from everything else.
  func setNLOSBias(to mean: Double, variance: Double, _ filter: any NavigationFilter) {
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
    excess > -0.4 * configuration.nlosSpread && excess < configuration.nlosMean + 3 * configuration.nlosSpread
  }
}
