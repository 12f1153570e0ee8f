import Geometry
import Ranging

/// The distance from a range alone, where no trajectory adds to it: as wide as all unknowns make it.
package struct RangeOnlyDistance: Equatable, Sendable {
  /// Metres from the device's origin, bias removed; never negative.
  package let mean: Double
  /// 1-sigma, metres.
  package let sigma: Double

  /// - Parameters:
  ///   - range: as measured, metres.
  ///   - age: of it, seconds. The device may have moved since, and the peer as a moving one.
  ///   - bias: the link's; mean in metres, variance in m^2.
  ///   - noise: 1-sigma of the range without it, metres.
  ///   - lever: from the device's origin to the antenna, metres. The orientation is unknown: it adds the cosine of a
  ///     random direction, a third of its square.
  ///   - nlosProbability: NLOS probability. The NLOS bias is positive, but half of them are a few decimetres: the mean
  ///     stays where most ranges are right, and the 1-sigma is the root mean square about it.
  ///   - peerIsStationary: as the peer reported.
  package init(
    range: Double, age: Double, bias: (mean: Double, variance: Double), noise: Double, lever: Double,
    nlosProbability: Double, peerIsStationary: Bool, _ configuration: FinderConfiguration
  ) {
    let age = max(age, 0)
    let device = configuration.handSpeedSigma * age
    let model = configuration.ranging.peerVelocityModel
    let step = model.step(age)
    let peer = peerIsStationary ? 0 : step.reach * step.reach * model.speed.x * model.speed.x + step.positionVariance.x
    let prior = NLOSBiasPrior(configuration.ranging)
    let nlosBiasSquare =
      (1 - prior.farProbability) * Self.meanSquare(prior.near) + prior.farProbability * Self.meanSquare(prior.far)
    mean = max(range - bias.mean, 0)
    sigma =
      (bias.variance + noise * noise + lever * lever / 3 + device * device + peer
      + nlosProbability * nlosBiasSquare).squareRoot()
  }

  private static func meanSquare(_ nlosBias: TruncatedNormal) -> Double {
    let (mean, variance) = nlosBias.moments
    return mean * mean + variance
  }
}
