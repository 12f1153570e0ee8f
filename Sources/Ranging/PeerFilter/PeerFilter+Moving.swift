import Foundation
import Geometry

/// A moving peer.
extension PeerFilter {
  /// Whether the model is that of a moving peer.
  package var isMoving: Bool { layout.isMoving }

  /// The same posterior for a peer that moves from now on, with unknown velocity.
  package var moving: PeerFilter { moving(by: configuration.beginningVelocities) }

  private func moving(by models: [PeerVelocityModel.Candidate]) -> PeerFilter {
    guard !isMoving else { return self }
    var copy = withHypotheses(isMoving: true) { set in
      var moving = set.moving(isDirectionUnobserved ? [models[0]] : models)
      moving.noises = carried(moving.noises)
      return moving
    }
    copy.velocities = models
    if copy.count != count { copy.normalize() }
    return copy
  }

  /// The noise candidates of a moving radio: the velocity model is approximate, so the coloured part has a lower bound.
  func carried(_ noises: [RangeNoise]) -> [RangeNoise] {
    noises.map { $0.coloured(atLeast: configuration.foundPeerNoise) }
  }

  /// The same for a peer that may have been under way since the first range; under the likeliest noise candidate alone, which is enough to
  /// predict ranges, once directions are spawned.
  package var underWay: PeerFilter {
    guard hypotheses != nil, !isDirectionUnobserved else { return moving(by: configuration.underWayVelocities) }
    var copy = self
    copy.pruneNoises(but: 1)
    copy.normalize()
    return copy.moving(by: configuration.underWayVelocities)
  }

  /// The same posterior for a peer that is stationary from now on.
  package var stationary: PeerFilter { withHypotheses(isMoving: false) { $0.stationary() } }

  /// The same posterior for a radio with larger noise from now on; nil where no candidate can be larger.
  package var withLargerNoise: PeerFilter? {
    guard let noises = hypotheses?.noises else { return nil }
    let withLargerNoise = noises.map(\.withLargerNoise)
    guard withLargerNoise.contains(where: { $0 != nil }) else { return nil }
    var copy = self
    copy.hypotheses!.noises = zip(noises, withLargerNoise).map { $1 ?? $0 }
    return copy
  }

  private func withHypotheses(isMoving: Bool, _ change: (GaussianSum) -> GaussianSum) -> PeerFilter {
    guard isMoving != self.isMoving else { return self }
    var copy = self
    copy.layout = LinkLayout(antennas: layout, isMoving: isMoving)
    copy.hypotheses = hypotheses.map(change)
    return copy.limited(to: nil)
  }

  /// One Gaussian of a posterior.
  package struct Part: Sendable {
    /// Its weight, above 0.
    package var probability: Double
    /// Position (world, metres), then the biases as in `LinkLayout` of a stationary peer.
    package var mean: [Double]
    /// Row-major, relative to the device.
    package var covariance: [Double]
    /// Probability of LOS at the newest range.
    package var losProbability: Double

    package init(probability: Double, mean: [Double], covariance: [Double], losProbability: Double) {
      (self.probability, self.mean, self.covariance, self.losProbability) = (
        probability, mean, covariance, losProbability
      )
    }
  }

  /// A posterior made of Gaussians, for a stationary peer.
  ///
  /// - Parameter last: the newest range, which is in the Gaussians already.
  package init(
    _ parts: [Part], last: Range, noise: RangeNoise, nlosRate: NLOSRateEstimator, configuration: RangingConfiguration,
    layout: LinkLayout
  ) {
    self.init(configuration: configuration, layout: layout, statedNoise: nil)
    self.nlosRate = nlosRate
    var set = GaussianSum(anchor: last.antenna, layout: layout, noises: [noise])
    for part in parts { set.append(part, configuration) }
    hypotheses = set
    self.last = last
    isDirectionUnobserved = false
    normalize()
  }

  /// All components as one Gaussian, for a stationary peer with a unimodal posterior; nil before initialisation.
  ///
  /// - Parameter last: the newest range.
  package func condensed(at last: Range) -> PeerFilter? {
    guard let merged, let noise, !isMoving else { return nil }
    return PeerFilter(
      [Part(probability: 1, mean: merged.mean, covariance: merged.covariance, losProbability: losProbability)],
      last: last, noise: noise,
      nlosRate: nlosRate, configuration: configuration, layout: layout)
  }
}
