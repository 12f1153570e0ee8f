import Foundation
import Geometry

/// A peer that is carried about.
extension PeerPosterior {
  /// Whether the peer is taken to walk.
  package var walks: Bool { layout.walks }

  /// The same belief of a peer that walks from now on, where to is not known.
  package var walking: PeerPosterior { withHypotheses(walks: true) { $0.walking(configuration.walk) } }

  /// The same belief of a peer that stands from now on, where it is.
  package var standing: PeerPosterior { withHypotheses(walks: false) { $0.standing() } }

  private func withHypotheses(walks: Bool, _ change: (HypothesisSet) -> HypothesisSet) -> PeerPosterior {
    guard walks != self.walks else { return self }
    var copy = self
    copy.layout = LinkLayout(antennas: layout, walks: walks)
    copy.hypotheses = hypotheses.map(change)
    return copy.limited(to: nil)
  }

  /// A posterior of one Gaussian over (position in the world, biases as in `LinkLayout`), of a peer that stands; `covariance` is
  /// row-major and relative to the device.
  ///
  /// - Parameters:
  ///   - last: the newest range, which is in the Gaussian already.
  ///   - free: probability that its sight was free.
  package init(
    mean: [Double], covariance: [Double], last: Range, free: Double, noise: RangeNoise,
    configuration: RangingConfiguration, layout: LinkLayout
  ) {
    self.init(configuration: configuration, layout: layout, statedNoise: nil)
    hypotheses = HypothesisSet(
      mean: mean, covariance: covariance, free: free, anchor: last.antenna, layout: layout, noise: noise, configuration)
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
      mean: merged.mean, covariance: merged.covariance, last: last, free: free, noise: noise,
      configuration: configuration, layout: layout)
  }
}
