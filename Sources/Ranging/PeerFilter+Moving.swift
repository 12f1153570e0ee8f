import Foundation
import Geometry

/// A peer that is carried about.
extension PeerFilter {
  /// Whether the peer is taken to walk.
  package var isMoving: Bool { layout.isMoving }

  /// The same belief of a peer that isMoving from now on, where to is not known.
  package var moving: PeerFilter {
    withHypotheses(isMoving: true) { set in
      var moving = set.moving(configuration.walk)
      moving.noises = carried(moving.noises)
      return moving
    }
  }

  /// The noises of a radio that is carried about: how somebody isMoving is not quite what is assumed of it.
  func carried(_ noises: [RangeNoise]) -> [RangeNoise] {
    noises.map { $0.coloured(atLeast: configuration.foundPeerNoise) }
  }

  /// `moving` in outline, under the likeliest noise alone: enough to foretell ranges.
  package var movingCoarse: PeerFilter {
    guard hypotheses != nil, !isDirectionUnobserved else { return moving }
    var copy = self
    copy.pruneNoises(but: 1)
    copy.normalize()
    return copy.moving
  }

  /// The same belief of a peer that stands from now on, where it is.
  package var stationary: PeerFilter { withHypotheses(isMoving: false) { $0.stationary() } }

  /// The same belief of a radio that errs more from now on; nil where no noise of it can be larger.
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

  /// One of the Gaussians that a posterior is made of.
  package struct Part: Sendable {
    /// Its share, above 0.
    package var share: Double
    /// Position (world, metres), then the biases as in `LinkLayout` of a peer that stands.
    package var mean: [Double]
    /// Row-major, relative to the device.
    package var covariance: [Double]
    /// Probability that the newest range's sight was free.
    package var free: Double

    package init(share: Double, mean: [Double], covariance: [Double], free: Double) {
      (self.share, self.mean, self.covariance, self.free) = (share, mean, covariance, free)
    }
  }

  /// A posterior of some Gaussians, of a peer that stands.
  ///
  /// - Parameter last: the newest range, which is in the Gaussians already.
  package init(
    _ parts: [Part], last: Range, noise: RangeNoise, sight: NLOSRateEstimator, configuration: RangingConfiguration,
    layout: LinkLayout
  ) {
    self.init(configuration: configuration, layout: layout, statedNoise: nil)
    self.sight = sight
    var set = GaussianSum(anchor: last.antenna, layout: layout, noises: [noise])
    for part in parts { set.append(part, configuration) }
    hypotheses = set
    self.last = last
    isDirectionUnobserved = false
    normalize()
  }

  /// All hypotheses as one Gaussian, for a peer that stands and whose place is one; nil before there are any.
  ///
  /// - Parameter last: the newest range.
  package func condensed(at last: Range) -> PeerFilter? {
    guard let merged, let noise, !isMoving else { return nil }
    return PeerFilter(
      [Part(share: 1, mean: merged.mean, covariance: merged.covariance, free: free)], last: last, noise: noise,
      sight: sight, configuration: configuration, layout: layout)
  }
}
