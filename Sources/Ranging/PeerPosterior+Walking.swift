import Foundation
import Geometry

/// A peer that is carried about.
extension PeerPosterior {
  /// Whether the peer is taken to walk.
  package var walks: Bool { layout.walks }

  /// The same belief of a peer that walks from now on, where to is not known.
  package var walking: PeerPosterior {
    withHypotheses(walks: true) { set in
      var walking = set.walking(configuration.walk)
      walking.noises = carried(walking.noises)
      return walking
    }
  }

  /// The noises of a radio that is carried about: how somebody walks is not quite what is assumed of it.
  func carried(_ noises: [RangeNoise]) -> [RangeNoise] {
    noises.map { $0.coloured(atLeast: configuration.trackedNoise) }
  }

  /// `walking` in outline, under the likeliest noise alone: enough to foretell ranges.
  package var walkingInOutline: PeerPosterior {
    guard hypotheses != nil, !isFolded else { return walking }
    var copy = self
    copy.pruneNoises(but: 1)
    copy.normalize()
    return copy.walking
  }

  /// The same belief of a peer that stands from now on, where it is.
  package var standing: PeerPosterior { withHypotheses(walks: false) { $0.standing() } }

  /// The same belief of a radio that errs more from now on; nil where no noise of it can be larger.
  package var louder: PeerPosterior? {
    guard let noises = hypotheses?.noises else { return nil }
    let louder = noises.map(\.louder)
    guard louder.contains(where: { $0 != nil }) else { return nil }
    var copy = self
    copy.hypotheses!.noises = zip(noises, louder).map { $1 ?? $0 }
    return copy
  }

  private func withHypotheses(walks: Bool, _ change: (HypothesisSet) -> HypothesisSet) -> PeerPosterior {
    guard walks != self.walks else { return self }
    var copy = self
    copy.layout = LinkLayout(antennas: layout, walks: walks)
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
    _ parts: [Part], last: Range, noise: RangeNoise, sight: SightHistory, configuration: RangingConfiguration,
    layout: LinkLayout
  ) {
    self.init(configuration: configuration, layout: layout, statedNoise: nil)
    self.sight = sight
    var set = HypothesisSet(anchor: last.antenna, layout: layout, noises: [noise])
    for part in parts { set.append(part, configuration) }
    hypotheses = set
    self.last = last
    isFolded = false
    normalize()
  }

  /// All hypotheses as one Gaussian, for a peer that stands and whose place is one; nil before there are any.
  ///
  /// - Parameter last: the newest range.
  package func condensed(at last: Range) -> PeerPosterior? {
    guard let merged, let noise, !walks else { return nil }
    return PeerPosterior(
      [Part(share: 1, mean: merged.mean, covariance: merged.covariance, free: free)], last: last, noise: noise,
      sight: sight, configuration: configuration, layout: layout)
  }
}
