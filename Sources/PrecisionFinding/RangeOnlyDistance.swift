import Geometry
import Ranging

/// The distance from a range alone, where no trajectory tells more: as wide as everything that is not known makes it.
package struct RangeOnlyDistance: Equatable, Sendable {
  /// Metres from the device's origin, bias removed; never negative.
  package let mean: Double
  /// 1-sigma, metres.
  package let sigma: Double

  /// - Parameters:
  ///   - range: as measured, metres.
  ///   - age: of it, seconds. The device may have gone on as an unseen hand does, and the peer as one that isMoving.
  ///   - bias: the link's; mean in metres, variance in m^2.
  ///   - noise: 1-sigma of the range without it, metres.
  ///   - lever: from the device's origin to the antenna, metres. How it is held is not known, so what it adds is the cosine of any
  ///     direction: a third of its square.
  ///   - blocked: probability that the sight was blocked. An excess only makes a range too long, but half of them are a few
  ///     decimetres: the distance stays where most ranges are right, and its 1-sigma is the root of the mean square about it.
  ///   - peerStands: the peer has said so itself.
  package init(
    range: Double, age: Double, bias: (mean: Double, variance: Double), noise: Double, lever: Double, blocked: Double,
    peerStands: Bool, _ configuration: FinderConfiguration
  ) {
    let age = max(age, 0)
    let device = configuration.handSpeedSigma * age
    let walk = configuration.ranging.walk
    let step = walk.step(age)
    let peer = peerStands ? 0 : step.reach * step.reach * walk.speed.x * walk.speed.x + step.place.x
    let prior = NLOSBiasPrior(configuration.ranging)
    let excess =
      (1 - prior.farShare) * Self.meanSquare(prior.near) + prior.farShare * Self.meanSquare(prior.far)
    mean = max(range - bias.mean, 0)
    sigma =
      (bias.variance + noise * noise + lever * lever / 3 + device * device + peer + blocked * excess).squareRoot()
  }

  private static func meanSquare(_ excess: TruncatedNormal) -> Double {
    let (mean, variance) = excess.moments
    return mean * mean + variance
  }
}
