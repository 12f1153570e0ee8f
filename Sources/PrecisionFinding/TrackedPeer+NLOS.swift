import Estimator
import Foundation
import Ranging

/// The LOS/NLOS state of a tracked peer.
extension TrackedPeer {
  func likelihood(_ innovation: Double, _ variance: Double) -> (value: RangeLikelihood, variance: Double) {
    (
      RangeLikelihood(
        innovation: innovation, variance: variance, rangeOutlierProbability: configuration.rangeOutlierProbability,
        rangeOutlierScale: configuration.rangeOutlierScale), variance
    )
  }

  /// Decides between LOS and NLOS, and starts or ends an NLOS interval. Its bias is a state of its own for the
  /// interval, so that NLOS neither moves the peer nor contradicts it.
  mutating func updateLOS(
    _ innovation: Double, variance: Double, los: RangeLikelihood, filter: any NavigationFilter
  ) {
    let nlosNoiseVariance = configuration.nlosNoise * configuration.nlosNoise
    let prior = NLOSBiasPrior(configuration)
    var (losDensity, fresh) = (los.total, prior.near)
    let nlosDensity: Double
    if isNLOS {
      let own = TruncatedNormal(
        mean: filter.vector(block)[layout.nlosBias],
        variance: filter.covariance.marginal([block])[layout.nlosBias * (layout.dimension + 1)])
      // In NLOS, `variance` already holds that of the bias.
      losDensity = likelihood(innovation, max(variance - own.variance, 1e-6)).value.total
      nlosDensity = density(innovation, variance: variance + nlosNoiseVariance, nlosBias: own)
    } else {
      let (near, far) = (
        (1 - prior.farProbability)
          * density(innovation, variance: variance + nlosNoiseVariance + prior.near.variance, nlosBias: prior.near),
        prior.farProbability
          * density(innovation, variance: variance + nlosNoiseVariance + prior.far.variance, nlosBias: prior.far)
      )
      nlosDensity = near + far
      if far > near { fresh = prior.far }
    }
    logDensity = log(max(chain.losProbability * losDensity + (1 - chain.losProbability) * nlosDensity, 1e-300))
    chain.update(losLikelihood: losDensity, nlosLikelihood: nlosDensity)
    let nlosNow = chain.losProbability < 0.5
    guard nlosNow != isNLOS else { return }
    isNLOS = nlosNow
    setNLOSBias(to: nlosNow ? fresh.mean : 0, variance: nlosNow ? fresh.variance : 0, filter)
  }

  /// Density of a range in NLOS, 1/m; `variance` holds that of the bias. The bias cannot be negative: see the kernel's
  /// `LOSTransition`.
  private func density(_ innovation: Double, variance: Double, nlosBias: TruncatedNormal) -> Double {
    let gain = nlosBias.variance / variance
    let after = TruncatedNormal(
      mean: nlosBias.mean + gain * (innovation - nlosBias.mean), variance: nlosBias.variance * (1 - gain))
    return likelihood(innovation - nlosBias.mean, variance).value.total * after.probabilityAboveZero
      / nlosBias.probabilityAboveZero
  }

  /// Resets the NLOS bias, uncorrelated with everything else.
  func setNLOSBias(to mean: Double, variance: Double, _ filter: any NavigationFilter) {
    var state = filter.vector(block)
    state[layout.nlosBias] = mean
    filter.setVector(block, to: state)
    var decay = [Double](repeating: 1, count: state.count)
    decay[layout.nlosBias] = 0
    var noise = [Double](repeating: 0, count: state.count)
    noise[layout.nlosBias] = variance
    filter.covariance.addNoise(block, decay: decay, variance: noise)
  }

  /// Whether a single Gaussian explains the NLOS bias. Below the limits the peer is elsewhere. Above, it may have left
  /// or be behind a wall, which hypotheses distinguish and one Gaussian cannot.
  func isPlausible(_ nlosBias: Double) -> Bool {
    nlosBias > -0.4 * configuration.nlosSpread && nlosBias < configuration.nlosMean + 3 * configuration.nlosSpread
  }
}
