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
}
