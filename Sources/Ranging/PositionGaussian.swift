import Geometry

/// One Gaussian of a posterior over where a peer is.
package struct PositionGaussian: Equatable, Sendable {
  /// Share of the posterior, 0...1.
  package var weight: Double
  /// The peer in the estimate's world, metres.
  package var position: Vector3
  /// Covariance of that, m^2, relative to the device as it stands now.
  package var covariance: Matrix3

  /// Scale error s of the link against the trajectory: a range is `(1 + s)` times the distance in the trajectory's world.
  package var scale = 0.0
  /// Covariance of the position with s, metres.
  package var scaleCovariance = Vector3.zero
  /// Variance of s.
  package var scaleVariance = 0.0

  package init(weight: Double, position: Vector3, covariance: Matrix3) {
    self.weight = weight
    self.position = position
    self.covariance = covariance
  }

  /// Takes another one in: the weight, mean and covariance of both. Nothing is left of two that weigh nothing.
  package mutating func merge(_ other: PositionGaussian) {
    let sum = weight + other.weight
    guard sum > 0 else { return }
    let w = other.weight / sum
    let (offset, stretch) = (other.position - position, other.scale - scale)
    let mixed = w * (1 - w)
    covariance = (1 - w) * covariance + w * other.covariance + Matrix3(outer: mixed * offset, offset)
    scaleCovariance = (1 - w) * scaleCovariance + w * other.scaleCovariance + mixed * stretch * offset
    scaleVariance = (1 - w) * scaleVariance + w * other.scaleVariance + mixed * stretch * stretch
    position += w * offset
    scale += w * stretch
    weight = sum
  }
}
