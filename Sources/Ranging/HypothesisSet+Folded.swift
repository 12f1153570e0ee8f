import Foundation
import Geometry

extension HypothesisSet {
  /// What a first range tells of the distance, all directions alike: one pair for each candidate of the noise.
  ///
  /// - Parameter statedNoise: the total 1-sigma that the recording states, metres.
  init(
    folded first: PeerPosterior.Range, _ configuration: RangingConfiguration, layout: LinkLayout, statedNoise: Double?
  ) {
    let noises = configuration.noiseCandidates.map {
      RangeNoise(
        white: $0.x, coloured: $0.y, correlationTime: configuration.correlationTime,
        correlationLength: configuration.correlationLength)
    }
    self.init(anchor: first.antenna, layout: layout, noises: noises)
    let prior = LinkPrior(configuration: configuration, layout: layout)
    for (index, noise) in noises.enumerated() {
      let stated = statedNoise.map { -0.5 * pow(log(noise.total / $0) / configuration.statedNoiseLogWidth, 2) } ?? 0
      for isBlocked in [false, true] {
        let half = prior.half(first, noise, blocked: isBlocked)
        append(
          logWeight: stated + half.logShare, direction: Vector3(1, 0, 0), tangent: Vector3(0, 1, 0), noise: index,
          scalars: half.scalars, covariance: half.covariance)
      }
    }
  }

  /// Lets the distance wander by `variance`, m^2: nothing is known of the direction in which anybody moved.
  mutating func wander(variance: Double) {
    for i in 0..<count { covariance[i * dimension * dimension + 2 * (dimension + 1)] += variance }
  }

  /// All of them as one, with the mean and covariance of all; not one of a pair any more.
  func merged(shares: [Double]) -> HypothesisSet {
    var result = HypothesisSet(anchor: anchor, layout: layout, noises: noises)
    guard count > 0 else { return result }
    let (n, m) = (dimension, dimension - 2)
    result.append(
      logWeight: 0, direction: direction[0], tangent: tangent[0], noise: Int(noise[0]), scalars: Array(scalars[0..<m]),
      covariance: Array(covariance[0..<(n * n)]))
    let scratch = HypothesisScratch(count: 2, dimension: n)
    defer { scratch.free() }
    scratch.load(0, from: self, at: 0, share: shares[0])
    for i in 1..<count {
      scratch.load(1, from: self, at: i, share: shares[i])
      scratch.merge(0, 1)
    }
    _ = scratch.store(0, into: &result, at: 0)
    return result
  }
}
