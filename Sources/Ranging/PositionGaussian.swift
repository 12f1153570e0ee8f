import Geometry

/// One Gaussian of the posterior of a peer's position.
package struct PositionGaussian: Equatable, Sendable {
  /// Weight in the posterior, 0...1.
  package var weight: Double
  /// Position of the peer in the estimate's world, metres.
  package var position: Vector3
  /// Covariance of the position, m^2, relative to the device's current pose.
  package var covariance: Matrix3

  /// Scale error s of the link relative to the trajectory: a range is `(1 + s)` times the distance in the trajectory's
  /// world.
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

  /// Merges another Gaussian by moments; nothing is changed if both weights are zero.
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
