import Geometry

/// A stationary peer and the errors of its link: `z = (1 + scale) |p - position| + bias + noise`.
///
/// Error state: (position, bias, scale), all additive.
package struct StaticPeer: Equatable, Sendable {
  /// Position, world, metres.
  package var position: Vector3
  /// Bias of the link, metres.
  package var bias: Double
  /// Scale error of the link.
  package var scale: Double

  /// Size of its error state.
  package static let errorSize = 5
  /// 1-sigma of the bias of an uncalibrated link, metres; of its scale. As in the filter's posterior of a peer.
  package static let biasSigma = 0.15, scaleSigma = 0.003

  /// A peer from its parts.
  package init(position: Vector3, bias: Double = 0, scale: Double = 0) {
    self.position = position
    self.bias = bias
    self.scale = scale
  }

  /// `x [+] d`.
  package func plus(_ d: ArraySlice<Double>) -> StaticPeer {
    let s = d.startIndex
    return StaticPeer(
      position: position + Vector3(d[s], d[s + 1], d[s + 2]), bias: bias + d[s + 3], scale: scale + d[s + 4])
  }

  /// Predicted range of an antenna (world), metres, and its derivatives by the peer's five error states.
  package func predicted(_ antenna: Vector3) -> (range: Double, slope: [Double]) {
    let offset = antenna - position
    let u = (1 + scale) * offset.normalized
    return ((1 + scale) * offset.norm + bias, [-u.x, -u.y, -u.z, 1, offset.norm])
  }

  /// Residuals of the priors of bias and scale, in sigmas.
  package var priorResidual: [Double] { [bias / Self.biasSigma, scale / Self.scaleSigma] }
}
